// `drover doctor`, as the real program against a scripted daemon.
#include <gtest/gtest.h>

#include <sstream>

#include "cli/fake_daemon.h"
#include "cli/table.h"

namespace drover::cli {
namespace {

// What the doctor has to say fits the terminal, under its own column; into a pipe it is a line
// each.
TEST(Doctor, FitsTheTerminal) {
  FakeDaemon daemon([](const Heard&, Reply& reply) {
    reply.json(200, R"({"version":"0.1.0","pid":7,"limits":{"memory":"rlimit","cpus":"none",)"
                    R"("pids":"none","no_cgroups":"/sys/fs/cgroup is not ours to write: it is not )"
                    R"(delegated\u202e"}})");
  });
  const std::string piped = drover_says({"doctor"}, daemon.home()).out;
  const std::string begin = "note limits         --memory by rlimit, for each process on its own, ";
  EXPECT_NE(piped.find(begin + "--cpus by nothing, --pids by"), std::string::npos) << piped;
  const std::string out =
      Program({"doctor"}, {.home = daemon.home(), .environment = {"COLUMNS=80"}}).wait().out;
  std::istringstream lines(out.substr(out.find("note limits")));
  size_t count = 0;
  for (std::string line; std::getline(lines, line); ++count) {
    EXPECT_LE(columns(line), 80U) << line;
    if (count > 0) EXPECT_EQ(line.find_first_not_of(' '), 20U) << line;
  }
  EXPECT_GE(count, 3U) << out;
  EXPECT_EQ(out.find("\u202e"), std::string::npos);
}

}  // namespace
}  // namespace drover::cli
