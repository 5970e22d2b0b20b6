// Runs that are named by anything but their whole id: the real program against a scripted daemon.
#include <gtest/gtest.h>

#include "cli/client/fake_daemon.h"

namespace drover::cli {
namespace {

const std::string kId = "run_01jc8x00000000000000000000";
constexpr const char* kRest = "/api/runs/run_01jc8x00000000000000000000";

// S1: a name or prefix is resolved once: a whole log, and all input, belong to the same run, even
// if another run takes the name meanwhile.
TEST(WhichRun, IsResolvedOnce) {
  for (const std::string typed : {"nightly", "run_01jc", "@last"}) {
    FakeDaemon daemon([&](const ReceivedRequest& heard, Reply& reply) {
      if (heard.is("GET", std::string(kRest) + "/logs")) {
        return reply.with_header(200, "Drover-Next-Offset: 4\r\n", "text");
      }
      reply.json(200, R"({"accepted":3,"run_id":")" + kId + "\"}");
    });
    EXPECT_EQ(drover_says({"logs", typed}, daemon.home()).out, "text");
    EXPECT_EQ(daemon.count("GET", "/api/runs/" + typed), typed == "run_01jc" ? 3U : 1U);
    EXPECT_EQ(daemon.count("GET", std::string(kRest) + "/logs"), 1U);
    const ProgramResult sent =
        drover_says({"send", typed, "hello", "--eof", "--json"}, daemon.home());
    EXPECT_NE(sent.out.find(kId), std::string::npos) << sent.out;
    EXPECT_EQ(daemon.count("POST", std::string(kRest) + "/input"), 3U);  // Two pieces, then eof.
    EXPECT_EQ(daemon.count("POST", "/api/runs/"), 3U);
  }
}

// An unknown name is reported before any other request is sent.
TEST(WhichRun, ReportsAnUnknownName) {
  FakeDaemon daemon([](const ReceivedRequest&, Reply& reply) {
    reply.error(404, "not_found_error", "not_found");
  });
  EXPECT_EQ(drover_says({"logs", "nightly"}, daemon.home()).code, 5);
  EXPECT_EQ(drover_says({"send", "nightly", "hello"}, daemon.home()).code, 5);
  EXPECT_EQ(daemon.count("POST", "/"), 0U);
}

}  // namespace
}  // namespace drover::cli
