// The daemon dies while it replaces the events of removed runs by evidence: the next one completes
// it, and every handle says what it said before.
#include <gtest/gtest.h>

#include <algorithm>
#include <boost/json/array.hpp>
#include <boost/json/serialize.hpp>
#include <map>

#include "tests/harness.h"
#include "tests/torture/tortured_home.h"

namespace drover::tests {
namespace {

class CompactionPoint : public ::testing::TestWithParam<std::string_view> {
 protected:
  std::string run(const std::string& script) {
    const DaemonAnswer answer = tortured.ask({.method = "POST",
                                              .target = "/api/runs?wait=30s",
                                              .body = {{"shell", script}, {"cwd", "/"}}});
    return text_of(answer.body, "run_id");
  }
  std::string status(const std::string& id) {
    return boost::json::serialize(
        tortured.ask({.method = "GET", .target = "/_ref/runs/" + id}).body);
  }
  size_t events_of(const std::string& id) {
    const DaemonAnswer page =
        tortured.ask({.method = "GET", .target = "/api/runs/" + id + "/events?limit=1000"});
    return page.body.contains("events") ? page.body.at("events").as_array().size() : 0;
  }

  TorturedHome tortured{{"--retain-every", "20ms", "--retain-events", "1ms"}};
};

// H2, H4, H10: whichever step it dies at.
TEST_P(CompactionPoint, RecoversFromADeath) {
  tortured.start_daemon();
  std::map<std::string, std::string> before;
  for (const char* script : {"exit 0", "exit 3", "kill -9 $$", "echo out; exit 0"}) {
    const std::string id = run(script);
    before[id] = status(id);
  }
  const std::string kept = run("exit 0");
  tortured.board.arm(GetParam());
  for (const auto& [id, text] : before) {
    tortured.ask({.method = "DELETE", .target = "/api/runs/" + id});
  }
  run("exit 0");  // The newest event is never compacted.
  for (const auto& [id, text] : before) {
    while (events_of(id) > 1) EXPECT_EQ(status(id), text);
    EXPECT_EQ(status(id), text);
  }
  EXPECT_EQ(tortured.board.deaths(GetParam()), 1U);
  EXPECT_EQ(events_of(kept), 4U);
}

std::vector<std::string_view> compaction_points() {
  std::vector<std::string_view> out(kCrashPoints.begin(), kCrashPoints.end());
  std::erase_if(out, [](std::string_view point) { return !point.starts_with("compact."); });
  return out;
}

INSTANTIATE_TEST_SUITE_P(Torture, CompactionPoint, ::testing::ValuesIn(compaction_points()),
                         [](const auto& info) {
                           std::string name(info.param);
                           std::ranges::replace(name, '.', '_');
                           return name;
                         });

}  // namespace
}  // namespace drover::tests
