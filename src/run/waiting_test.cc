#include "run/waiting.h"

#include <gtest/gtest.h>

#include "run/transition.h"

namespace drover::run {
namespace {

const RunId kId = *RunId::parse("run_01hf7yat00000000000000000a");
const RunId kOther = *RunId::parse("run_01hf7yat00000000000000000b");

Dependency other(std::optional<State> end, bool must_complete = true) {
  return {.id = kOther, .must_complete = must_complete, .known = true, .end = end};
}

Record waiting() {
  Record r;
  r.kind = kCommand;
  r.id = kId;
  r.lane = "l";
  r.queued_at = 100;
  r.after = {kOther};
  return r;
}

// R17: what every finished state of a dependency means to the two kinds of waiting.
TEST(Waiting, DependsOnHowTheOtherFinished) {
  for (const State state : kStates) {
    const auto end = is_finished(state) ? std::optional(state) : std::nullopt;
    const auto strict = judge_waiting(waiting(), std::vector{other(end)}, 200);
    const auto lenient = judge_waiting(waiting(), std::vector{other(end, false)}, 200);
    EXPECT_EQ(lenient.wait, end ? Wait::over : Wait::waiting) << name(state);
    EXPECT_EQ(strict.wait, !end                        ? Wait::waiting
                           : state == State::completed ? Wait::over
                                                       : Wait::never)
        << name(state);
    EXPECT_EQ(strict.message.contains(kOther.view()), strict.wait == Wait::never);
  }
}

// R17: all dependencies must be done; a single failure is enough to give up, however many are
// active.
TEST(Waiting, LastsUntilAllAreDone) {
  const std::vector open{other(State::completed), other(std::nullopt)};
  EXPECT_EQ(judge_waiting(waiting(), open, 200).wait, Wait::waiting);
  const std::vector hopeless{other(std::nullopt), other(State::failed)};
  EXPECT_EQ(judge_waiting(waiting(), hopeless, 200).wait, Wait::never);
  EXPECT_EQ(judge_waiting(waiting(), {}, 200).wait, Wait::over);
}

// R17: the start time must have come, too; a clock that was set back to before the submission is
// ignored.
TEST(Waiting, LastsUntilItsStartTime) {
  Record r = waiting();
  r.not_before = 300;
  const std::vector done{other(State::completed)};
  EXPECT_EQ(judge_waiting(r, done, 299).wait, Wait::waiting);
  EXPECT_EQ(judge_waiting(r, done, 300).wait, Wait::over);
  EXPECT_EQ(judge_waiting(r, done, 99).wait, Wait::over);
}

// R17: the message names the attempt that failed, not the run that was named in the request.
TEST(Waiting, NamesTheLastAttempt) {
  Dependency last = other(State::timed_out);
  last.last_attempt = kId.str();
  const auto verdict = judge_waiting(waiting(), std::vector{last}, 200);
  EXPECT_EQ(verdict.message, "its dependency " + kId.str() + " did not complete (timed_out)");
}

// R16, R17: a held run is not claimed, and a review does not give it a slot that is not free.
TEST(Waiting, HeldRunsTakeNoSlot) {
  const std::vector open{other(std::nullopt)};
  const auto made = apply(nullptr, Submitted{waiting(), "", ""},
                          {.wall_ms = 200, .lane_has_free_slot = true, .dependencies = open});
  ASSERT_TRUE(made);
  EXPECT_TRUE(made->after.held);
  EXPECT_EQ(made->after.state, State::queued);
  const Record held = made->after;
  EXPECT_EQ(apply(&held, Claimed{kId}, {.lane_has_free_slot = true}).error().reason, "not_ready");
  const std::vector done{other(State::completed)};
  for (const bool room : {true, false}) {
    const auto ready = apply(&held, Reviewed{kId},
                             {.wall_ms = 300, .lane_has_free_slot = room, .dependencies = done});
    ASSERT_TRUE(ready);
    EXPECT_FALSE(ready->after.held);
    EXPECT_EQ(ready->after.state, room ? State::starting : State::queued);
    EXPECT_EQ(ready->events.front().type, "run.ready");
  }
}

// R17: a run that can never start is canceled, says why, and is not reviewed again.
TEST(Waiting, CancelsARunThatCanNeverStart) {
  Record held = waiting();
  held.held = true;
  held.events = 1;
  const std::vector failed{other(State::failed)};
  const auto change = apply(&held, Reviewed{kId}, {.wall_ms = 300, .dependencies = failed});
  ASSERT_TRUE(change);
  EXPECT_EQ(change->after.state, State::canceled);
  EXPECT_EQ(change->after.reason, Reason::dependency_failed);
  EXPECT_EQ(change->after.finished_at, 300);
  ASSERT_EQ(change->events.size(), 1U);
  EXPECT_TRUE(change->events.front().is_final);
  const Record ended = change->after;
  EXPECT_EQ(apply(&ended, Reviewed{kId}, {.dependencies = failed})->effect, Effect::none);
}

}  // namespace
}  // namespace drover::run
