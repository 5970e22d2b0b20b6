// `drover stop`: the real program against a scripted daemon.
#include <gtest/gtest.h>

#include "cli/client/fake_daemon.h"

namespace drover::cli {
namespace {

// `stop` without a daemon succeeds.
TEST(Stop, WithoutDaemonSucceeds) {
  FakeDaemon daemon(always(200, "{}"));
  daemon.go_away();
  const ProgramResult ended = drover_says({"stop"}, daemon.home());
  EXPECT_EQ(ended.code, 0);
  EXPECT_EQ(ended.err, "drover: no daemon is running\n");
}

// A caller without permission to stop the daemon gets that error, and not one about reading the
// status.
TEST(Stop, ForbiddenStopIsReported) {
  FakeDaemon daemon([](const ReceivedRequest& heard, Reply& reply) {
    const std::string what = heard.target.starts_with("/api/stop") ? "stop" : "status";
    reply.json(403, R"({"error":{"code":"forbidden","message":"no )" + what +
                        R"(","type":"permission_error"}})");
  });
  const ProgramResult ended = drover_says({"stop"}, daemon.home());
  EXPECT_NE(ended.code, 0);
  EXPECT_NE(ended.err.find("no stop"), std::string::npos) << ended.err;
}

// `stop` tells running runs, which continue, from queued ones, which wait for the next daemon.
TEST(Stop, CountsQueuedRunsApart) {
  FakeDaemon daemon(always(200, R"({"pid":0,"runs_active":1,"runs_queued":2})"));
  EXPECT_EQ(drover_says({"stop"}, daemon.home()).err,
            "drover: the daemon has stopped; 1 run keeps running without it; "
            "2 queued runs wait for the next daemon\n");
  EXPECT_EQ(drover_says({"stop", "--kill"}, daemon.home()).err,
            "drover: the daemon has stopped; 1 run was killed\n");
}

}  // namespace
}  // namespace drover::cli
