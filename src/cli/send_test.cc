// `drover send`: the real program against a scripted daemon.
#include <gtest/gtest.h>

#include "cli/client/fake_daemon.h"

namespace drover::cli {
namespace {

const std::string kWholeId = "run_01jc8x00000000000000000000";  // Needs no resolving.

// `send` repeats the bytes that a slow reader has not taken yet, and then closes the input.
TEST(Send, RepeatsTheBytesNotTaken) {
  std::mutex mutex;
  std::string taken;
  FakeDaemon daemon([&](const ReceivedRequest& heard, Reply& reply) {
    const std::lock_guard lock(mutex);
    taken += heard.body.substr(0, 3);
    reply.json(200, R"({"run_id":"run_a","accepted":)" +
                        std::to_string(std::min<size_t>(3, heard.body.size())) + "}");
  });
  EXPECT_EQ(drover_says({"send", "--eof", kWholeId, "hello"}, daemon.home()).code, 0);
  EXPECT_EQ(taken, "hello\n");
  EXPECT_EQ(daemon.count("POST", "/api/runs/" + kWholeId + "/input?eof=true"), 1U);
}

// An answer that cannot be true is an error, and nothing is read beyond the input.
TEST(Send, RefusesAnImpossibleAnswer) {
  FakeDaemon daemon([](const ReceivedRequest&, Reply& reply) {
    reply.json(200, R"({"run_id":"run_a","accepted":1000000})");
  });
  const ProgramResult said = drover_says({"send", kWholeId, "hello"}, daemon.home());
  EXPECT_EQ(said.code, 125);
  EXPECT_NE(said.err.find("more bytes than were sent"), std::string::npos) << said.err;
}

}  // namespace
}  // namespace drover::cli
