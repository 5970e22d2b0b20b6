#include "run/retry.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "run/transition.h"
#include "testing/clock.h"

namespace drover::run {
namespace {

const RunId kId = *RunId::parse("run_01hf7yat00000000000000000a");
const RunId kNext = *RunId::parse("run_01hf7yat00000000000000000b");

Record running(int attempt, int max) {
  Record r;
  r.kind = kCommand;
  r.id = kId;
  r.trace_id = kId.trace_id();
  r.lane = "l";
  r.state = State::running;
  r.started_at = 50;
  r.attempt = attempt;
  r.retry.max = max;
  r.chain = kId.str();
  r.priority = 3;
  r.labels = {{"team", "core"}};
  r.after = {kNext};
  return r;
}

Change end(const Record& before, Ending ending, StopCause cause = StopCause::none) {
  Ended fact{.id = before.id, .ending = std::move(ending), .cause = cause};
  fact.next = kNext;
  const auto change = apply(&before, fact, {.wall_ms = 1'000, .mono_ns = 9});
  EXPECT_TRUE(change);
  return change.value_or(Change{});
}

// R17: which finished states are retried, by default and as requested.
TEST(Retry, FollowsTheRequestedStates) {
  Record r = running(1, 2);
  EXPECT_EQ(end(r, Exited{1}).also.size(), 1U);
  EXPECT_EQ(end(r, Killed{9, false}).also.size(), 1U);
  EXPECT_EQ(end(r, Killed{15, false}, StopCause::timeout).also.size(), 1U);
  EXPECT_EQ(end(r, Exited{0}).also.size(), 0U);
  EXPECT_EQ(end(r, Unknown{Reason::keeper_lost}).also.size(), 0U);
  r.retry.on = {State::abandoned};
  EXPECT_EQ(end(r, Unknown{Reason::keeper_lost}).also.size(), 1U);
  EXPECT_EQ(end(r, Exited{1}).also.size(), 0U);
}

// R17: as many attempts as requested, and no more.
TEST(Retry, CountsItsAttempts) {
  EXPECT_EQ(end(running(2, 2), Exited{1}).also.size(), 1U);
  EXPECT_EQ(end(running(3, 2), Exited{1}).also.size(), 0U);
  EXPECT_EQ(end(running(1, 0), Exited{1}).also.size(), 0U);
}

// R17: a recorded cancel ends the chain, even if the command had already exited by itself.
TEST(Retry, ACancelEndsTheChain) {
  Record r = running(1, 5);
  r.cancel_requested = true;
  r.cancel_mono_ns = 1'000'000;  // After the exit: the run fails by its exit code.
  Ended fact{.id = kId, .ending = Exited{1}, .exit_mono_ns = 5};
  fact.next = kNext;
  const auto change = apply(&r, fact, {.wall_ms = 1'000});
  ASSERT_TRUE(change);
  EXPECT_EQ(change->after.state, State::failed);
  EXPECT_TRUE(change->also.empty());
  EXPECT_TRUE(change->after.retried_by.empty());
}

// R17: a run that must not be restarted after a restart of the daemon is not retried either.
TEST(Retry, DoesNotUndoOnRestartFail) {
  Record r = running(1, 5);
  r.state = State::queued;
  EXPECT_TRUE(end(r, NeverStarted{}).also.empty());
}

// R17: the next attempt has everything that the first had, except what belongs to one attempt; the
// events link both.
TEST(Retry, TheNextAttemptInheritsEverything) {
  const Record before = running(1, 2);
  const Change change = end(before, Exited{1});
  ASSERT_EQ(change.also.size(), 1U);
  const Record& next = change.also.front();
  EXPECT_EQ(next.id, kNext);
  EXPECT_EQ(next.attempt, 2);
  EXPECT_EQ(next.chain, kId.str());
  EXPECT_EQ(next.state, State::queued);
  EXPECT_EQ(next.lane, before.lane);
  EXPECT_EQ(next.priority, 3);
  EXPECT_EQ(next.labels, before.labels);
  EXPECT_EQ(next.trace_id, before.trace_id);
  EXPECT_TRUE(next.after.empty());  // Those are done.
  EXPECT_EQ(next.queued_at, 1'000);
  EXPECT_GT(next.not_before, 1'000);
  EXPECT_TRUE(next.held);
  ASSERT_EQ(change.events.size(), 2U);
  EXPECT_EQ(change.events[0].type, "run.failed");
  EXPECT_NE(change.events[0].data.find(kNext.view()), std::string::npos);
  EXPECT_EQ(change.events[1].type, "run.queued");
  EXPECT_EQ(change.events[1].run_id, kNext);
  EXPECT_EQ(change.events[1].run_seq, 1);
}

// R17: the pause doubles up to its limit, varies between half and whole, and is the same for the
// same run.
RC_GTEST_PROP(RetryPause, DoublesWithinItsBounds, ()) {
  Retry retry;
  retry.backoff_ms = *rc::gen::inRange<std::int64_t>(0, limits::kBackoffMaxMs + 1);
  const int attempt = *rc::gen::inRange(2, limits::kRetriesMax + 2);
  testing::ManualClock clock;
  const RunId next = IdMaker(clock).next();
  double whole = static_cast<double>(retry.backoff_ms);
  for (int i = 2; i < attempt; ++i) whole *= 2;
  whole = std::min(whole, static_cast<double>(limits::kBackoffMaxMs));
  const std::int64_t pause = pause_before(retry, attempt, next);
  RC_ASSERT(static_cast<double>(pause) <= whole);
  RC_ASSERT(static_cast<double>(pause) >= whole / 2 - 1);
  RC_ASSERT(pause == pause_before(retry, attempt, next));
}

}  // namespace
}  // namespace drover::run
