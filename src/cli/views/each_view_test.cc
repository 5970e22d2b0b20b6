#include "cli/views/each_view.h"

#include <gtest/gtest.h>

#include "cli/batch/each.h"

namespace drover::cli {
namespace {

// S1: the progress line shows the count, the rate and the time left; the total is final only once
// all inputs are read.
TEST(EachView, ProgressShowsCountRateAndTime) {
  EXPECT_EQ(say_progress(
                {.done = 3021, .failed = 2, .known = 5000, .all_known = true, .per_second = 1905}),
            "━━━━━━━━━━━━──────── 3,021/5,000 · 2 failed · 1,905/s · 2s left");
  EXPECT_EQ(say_progress({.done = 1, .known = 4, .per_second = 0.5}), "1/4+ · 0.5/s");
  EXPECT_EQ(say_progress({.done = 0, .known = 0, .all_known = true}), "0/0");
}

// A lane holds runs up if it is paused, or if it is full while at least as many are queued.
TEST(EachView, NamesTheLaneThatHoldsRunsUp) {
  const auto lane = [](int active, int queued, const char* paused_at) {
    return say_lane_wait({{"name", "gpu"},
                          {"limit", 2},
                          {"active", active},
                          {"queued", queued},
                          {"paused_at", paused_at}},
                         3);
  };
  EXPECT_EQ(lane(0, 3, "2026-11-15T09:00:00.000Z"),
            "the lane gpu is paused; `drover lane resume gpu` resumes it");
  EXPECT_EQ(lane(2, 3, ""),
            "the lane gpu is full: 2 running, 3 queued; `drover ps --lane gpu` lists them");
  EXPECT_EQ(lane(2, 1, ""), "");  // Some of the three are running.
  EXPECT_EQ(lane(1, 3, ""), "");
}

// S1: the rate follows recent changes smoothly.
TEST(EachView, TheRateFollowsRecentChanges) {
  Rate rate;
  rate.see(0, 0);
  rate.see(100, 1000);
  EXPECT_NEAR(rate.per_second(), 100, 0.1);
  rate.see(100, 3000);  // Two idle seconds weigh more than the second before.
  EXPECT_NEAR(rate.per_second(), 22.7, 0.1);

  Rate slow;  // Four runs of a second each that finish together.
  for (int ms = 0; ms <= 1000; ms += 100) slow.see(ms < 1000 ? 0 : 4, ms);
  EXPECT_NEAR(slow.per_second(), 4, 1);
}

// S1: the summary counts the runs in each final state.
TEST(EachView, TheSummaryCountsEveryState) {
  EXPECT_EQ(say_ends({.completed = 5}), "5 completed");
  EXPECT_EQ(say_ends({.completed = 5, .others = {{"failed", 1}}}), "5 completed, 1 failed");
  EXPECT_EQ(say_ends({.completed = 0,
                      .others = {{"canceled", 2}, {"refused", 1}, {"timed_out", 1200}},
                      .never_started = 3}),
            "0 completed, 2 canceled, 1 refused, 1,200 timed out, 3 not started");
  EXPECT_EQ(say_ends({.completed = 7, .detached = true}), "7 submitted");
}

// S1: the table of failures says why a job could not be started or was stopped by Drover. It gives
// no reason for a command that failed by itself.
TEST(EachView, NamesTheLaunchFailure) {
  const auto record = [](std::string_view state, std::string_view reason,
                         std::string_view message) {
    return boost::json::object{{"run_id", "run_a"},  {"state", state},       {"reason", reason},
                               {"message", message}, {"exit_code", nullptr}, {"signal", nullptr}};
  };
  const std::vector<EachFailure> failures{
      failure_of(record("failed", "launch_failed", "cannot execute x: ENOENT"), "one"),
      failure_of(record("timed_out", "timeout", "took too long"), "two"),
      failure_of(record("failed", "exit_nonzero", "exited with code 1"), "three")};
  const Screen screen(ColorMode::never);
  const std::string table = failure_table(failures, screen);
  EXPECT_NE(table.find("WHY"), std::string::npos) << table;
  EXPECT_NE(table.find("cannot execute x: ENOENT"), std::string::npos) << table;
  EXPECT_NE(table.find("took too long"), std::string::npos) << table;
  EXPECT_EQ(table.find("exited with"), std::string::npos) << table;
  EXPECT_EQ(common_why(failures), "");

  const std::vector<EachFailure> alike{failures[0], failures[0]};  // Printed once for all.
  EXPECT_EQ(common_why(alike), "cannot execute x: ENOENT");
  EXPECT_EQ(failure_table(alike, screen).find("WHY"), std::string::npos);
}

// S1: the input replaces every {}, or is appended; in a script it is $1 and never part of the text.
TEST(EachView, TheInputReplacesBraces) {
  using Words = std::vector<std::string>;
  EXPECT_EQ(fill({"cp", "{}", "{}.bak"}, false, "a b"), (Words{"cp", "a b", "a b.bak"}));
  EXPECT_EQ(fill({"echo"}, false, "{}"), (Words{"echo", "{}"}));
  EXPECT_EQ(fill({"echo", "{}{}"}, false, "{}"), (Words{"echo", "{}{}"}));
  EXPECT_EQ(fill({"rm", "$1"}, true, "; x"), (Words{"/bin/sh", "-c", "rm $1", "sh", "; x"}));
}

}  // namespace
}  // namespace drover::cli
