// The cause of an occurrence, in words for people.
#include "triggers/explain/cause.h"

#include <gtest/gtest.h>

namespace drover::triggers {
namespace {

std::string cause(Outcome outcome, std::string reason) {
  return cause_of({.key = "", .outcome = outcome, .reason = std::move(reason)});
}

// Each reason of the ledger has words, with the detail that was recorded with it.
TEST(Cause, NamesTheReasonAndItsDetail) {
  EXPECT_EQ(cause(Outcome::missed, "policy_skip: the daemon was not running"),
            "the daemon was not running; missed: skip");
  EXPECT_EQ(cause(Outcome::skipped, "overlap: its last run, run_abc, is still active"),
            "its last run, run_abc, was still active; overlap: skip");
  EXPECT_EQ(cause(Outcome::skipped, "backoff: after 3 failed runs in a row"),
            "it was waiting after 3 failed runs in a row (backoff)");
  EXPECT_EQ(cause(Outcome::skipped, "filter: filter payload.size lt 10: it does not hold"),
            "filter payload.size lt 10: it does not hold");
  EXPECT_EQ(cause(Outcome::skipped, "duplicate: of evt_1"), "it repeats event evt_1 (dedup)");
  EXPECT_EQ(cause(Outcome::skipped, "lane_draining: the lane gpu is draining"),
            "the lane gpu is draining");
  EXPECT_EQ(cause(Outcome::skipped, "paused"), "the trigger was paused");
  EXPECT_EQ(cause(Outcome::fired, "caught_up: the daemon was not running"),
            "the daemon was not running");
  EXPECT_EQ(cause(Outcome::fired, "by_hand"), "fired by hand");
  EXPECT_EQ(cause(Outcome::fired, ""), "");
}

// An occurrence without a detail, of an earlier release, does not claim what it does not know.
TEST(Cause, WithoutADetailIsCareful) {
  EXPECT_EQ(cause(Outcome::missed, "policy_skip"),
            "the daemon was not running, or the machine was off or asleep at that time; "
            "missed: skip");
  EXPECT_EQ(cause(Outcome::skipped, "overlap"), "its last run was still active; overlap: skip");
  EXPECT_EQ(cause(Outcome::skipped, "backoff"), "it was waiting after a failed run (backoff)");
  EXPECT_EQ(cause(Outcome::skipped, "some_new_reason"), "some_new_reason");
}

// A time that passed before this daemon started is not the daemon's delay.
TEST(Cause, TellsAbsenceFromDelay) {
  EXPECT_EQ(lateness_of(99, 100), "the daemon was not running");
  EXPECT_TRUE(lateness_of(100, 100).starts_with("the daemon could not run it in time"));
}

}  // namespace
}  // namespace drover::triggers
