// An older database is restored, and the daemon dies while it takes up the runs: the next one takes
// up the rest, and nothing twice.
#include <gtest/gtest.h>

#include <algorithm>
#include <boost/json/array.hpp>
#include <filesystem>

#include "tests/harness.h"
#include "tests/torture/tortured_home.h"

namespace drover::tests {
namespace {

namespace fs = std::filesystem;
namespace json = boost::json;

class RestorePoint : public ::testing::TestWithParam<std::string_view> {
 protected:
  std::string submit(const std::string& script, const std::string& lane = "default") {
    const DaemonAnswer answer =
        tortured.ask({.method = "POST",
                      .target = "/api/runs",
                      .body = {{"shell", script}, {"cwd", "/"}, {"lane", lane}}});
    EXPECT_EQ(answer.status, 202) << answer.text;
    return text_of(answer.body, "run_id");
  }
  void wait(const std::string& id) {
    tortured.ask({.method = "GET", .target = "/api/runs/" + id + "?wait=30s"});
  }
  void cancel(const std::string& id) {
    tortured.ask({.method = "POST", .target = "/api/runs/" + id + "/cancel"});
  }
  std::string status(const std::string& id) {
    return text_of(tortured.ask({.method = "GET", .target = "/_ref/runs/" + id}).body, "status");
  }
  std::ptrdiff_t told(const std::string& type) {
    const DaemonAnswer page = tortured.ask({.method = "GET", .target = "/api/events?limit=1000"});
    return std::ranges::count_if(page.body.at("events").as_array(), [&](const json::value& event) {
      return text_of(event.as_object(), "type") == type;
    });
  }

  TorturedHome tortured;
};

TEST_P(RestorePoint, RecoversFromADeath) {
  tortured.start_daemon();
  wait(submit("exit 0"));
  tortured.stop_daemon();
  const std::string copy = tortured.file("copy.db");
  fs::copy_file(tortured.home().database(), copy);
  tortured.start_daemon();
  const std::string done = submit("exit 0");
  const std::string failed = submit("exit 3");
  wait(done);
  wait(failed);
  const std::string live = submit("exec sleep 1000", "narrow");
  const std::string waiting = submit("exit 0", "narrow");
  const std::string withdrawn = submit("exit 0", "narrow");
  cancel(withdrawn);
  tortured.kill_daemon();
  for (const char* rest : {"", "-wal", "-shm"}) fs::remove(tortured.home().database() + rest);
  fs::copy_file(copy, tortured.home().database());

  tortured.board.arm(GetParam());
  EXPECT_EQ(status(done), "completed");
  EXPECT_EQ(tortured.board.deaths(GetParam()), 1U);
  EXPECT_EQ(status(failed), "failed");
  EXPECT_EQ(status(withdrawn), "cancelled");
  EXPECT_EQ(status(waiting), "active");
  EXPECT_EQ(told("store.restored"), 1);
  EXPECT_EQ(told("store.taken_up"), 1);
  EXPECT_EQ(told("run.taken_up"), 5);
  cancel(live);
  wait(live);
  wait(waiting);
  EXPECT_EQ(status(live), "cancelled");
  EXPECT_EQ(status(waiting), "completed");
}

std::vector<std::string_view> restore_points() {
  std::vector<std::string_view> out(kCrashPoints.begin(), kCrashPoints.end());
  std::erase_if(out, [](std::string_view point) { return !point.starts_with("restore."); });
  return out;
}

INSTANTIATE_TEST_SUITE_P(Torture, RestorePoint, ::testing::ValuesIn(restore_points()),
                         [](const auto& info) {
                           std::string name(info.param);
                           std::ranges::replace(name, '.', '_');
                           return name;
                         });

}  // namespace
}  // namespace drover::tests
