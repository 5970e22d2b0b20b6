#include "cli/commands/triggers/changes.h"

#include <gtest/gtest.h>

#include <boost/json/parse.hpp>

namespace drover::cli {
namespace {

// An edit is confirmed with the names of what it changed, as options and `trigger show` name it;
// the time of the next run and the totals are not among them.
TEST(Changes, NamesWhatChanged) {
  const auto say = [](const char* before, const char* after) {
    return say_changes(boost::json::parse(before).get_object(),
                       boost::json::parse(after).get_object());
  };
  const char* nightly = R"({"source":{"type":"cron","cron":"0 3 * * *","tz":"Europe/Berlin"},
      "run":{"command":["a"],"cwd":"/x"},"overlap":"skip","next_at":"1"})";
  EXPECT_EQ(say(nightly, nightly), "");
  EXPECT_EQ(say(nightly, R"({"source":{"type":"cron","cron":"0 3 * * *","tz":"Asia/Tokyo"},
      "run":{"command":["b"],"cwd":"/tmp"},"overlap":"queue","next_at":"2"})"),
            "time zone, overlap, command, directory");
  EXPECT_EQ(say(R"({"run":{}})", R"({"run":{"idle_timeout":"5s"}})"), "idle timeout");
}

}  // namespace
}  // namespace drover::cli
