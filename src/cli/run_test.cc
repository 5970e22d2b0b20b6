// `drover run`, as the real program against a scripted daemon.
#include <gtest/gtest.h>

#include "cli/client/fake_daemon.h"

namespace drover::cli {
namespace {

void complete(const ReceivedRequest&, Reply& reply) {
  reply.json(200, R"({"run_id":"run_a","state":"completed","exit_code":0})");
}

// If standard input has data that the command does not get, the program says which option passes
// it. Without data it says nothing.
TEST(Run, SaysThatInputIsNotPassed) {
  FakeDaemon daemon(complete);
  const auto says = [&](std::vector<std::string> words, const std::string& input) {
    return Program(words, {.home = daemon.home(), .input = input}).wait().err;
  };
  const std::string warning =
      "drover: the command does not get the standard input; --stdin passes it\n";
  EXPECT_TRUE(says({"run", "-d", "--", "cat"}, "data").contains(warning));
  EXPECT_FALSE(says({"run", "-d", "--", "cat"}, "").contains(warning));
  EXPECT_FALSE(says({"run", "-d", "--stdin", "--", "cat"}, "data").contains(warning));
  EXPECT_FALSE(says({"run", "-d", "--json", "--", "cat"}, "data").contains(warning));
}

// An empty --name or --key is an error: it would silently count as none.
TEST(Run, RefusesEmptyNames) {
  FakeDaemon daemon(complete);
  for (const std::string option : {"--name", "--key"}) {
    for (const std::string each : {"--detach", "--each"}) {
      const ProgramResult ended =
          drover_says({"run", each, option, "", "--", "true"}, daemon.home());
      EXPECT_EQ(ended.code, 2) << option;
      EXPECT_EQ(ended.err, "drover: " + option + " is empty; give a value or omit it\n");
    }
  }
  EXPECT_EQ(daemon.count("POST", "/api/runs"), 0U);
}

}  // namespace
}  // namespace drover::cli
