#include "triggers/definition/edited_fields.h"

#include <gtest/gtest.h>

#include <boost/json/parse.hpp>

namespace drover::triggers {
namespace {

boost::json::object parsed(const char* text) {
  return boost::json::parse(text).get_object();
}

void expect_edit(const char* before, const char* given, const char* after) {
  EXPECT_EQ(edited_fields(parsed(before), parsed(given)), parsed(after)) << given;
}

// Editing a part of the source keeps its other parts: a new cron keeps the zone, and a new zone the
// cron. A source of another type keeps nothing of the old one.
TEST(EditedFields, KeepsTheOtherPartsOfTheSource) {
  const char* nightly =
      R"({"source": {"type": "cron", "cron": "0 3 * * *", "tz": "Europe/Berlin"}})";
  expect_edit(nightly, R"({"source": {"type": "cron", "cron": "30 4 * * *"}})",
              R"({"source": {"type": "cron", "cron": "30 4 * * *", "tz": "Europe/Berlin"}})");
  expect_edit(nightly, R"({"source": {"tz": "Asia/Tokyo"}})",
              R"({"source": {"type": "cron", "cron": "0 3 * * *", "tz": "Asia/Tokyo"}})");
  expect_edit(nightly, R"({"source": {"type": "cron", "tz": null}})",
              R"({"source": {"type": "cron", "cron": "0 3 * * *"}})");
  expect_edit(nightly, R"({"source": {"type": "every", "every": "10m"}})",
              R"({"source": {"type": "every", "every": "10m"}})");
}

// Editing a part of the run keeps its other parts, also one limit of several; a script replaces a
// command.
TEST(EditedFields, KeepsTheOtherPartsOfTheRun) {
  const char* before = R"({"run": {"command": ["a"], "cwd": "/x", "limits": {"pids": 9}}})";
  expect_edit(before, R"({"run": {"command": ["b"]}})",
              R"({"run": {"command": ["b"], "cwd": "/x", "limits": {"pids": 9}}})");
  expect_edit(before, R"({"run": {"limits": {"nice": 5}}})",
              R"({"run": {"command": ["a"], "cwd": "/x", "limits": {"pids": 9, "nice": 5}}})");
  expect_edit(before, R"({"run": {"shell": "b", "limits": null}})",
              R"({"run": {"shell": "b", "cwd": "/x"}})");
}

// The window of `missed: all` goes with it.
TEST(EditedFields, DropsTheWindowWithMissedAll) {
  expect_edit(R"({"missed": "all", "missed_window": "1d"})", R"({"missed": "once"})",
              R"({"missed": "once"})");
  expect_edit(R"({"missed": "all", "missed_window": "1d"})", R"({"jitter": "1m"})",
              R"({"missed": "all", "missed_window": "1d", "jitter": "1m"})");
}

}  // namespace
}  // namespace drover::triggers
