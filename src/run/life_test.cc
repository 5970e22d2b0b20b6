// The table of a run's life (R2), walked row by row through `apply`.
#include "run/life.h"

#include <gtest/gtest.h>

#include <set>
#include <string>

#include "run/transition.h"

namespace drover::run {
namespace {

const RunId kId = *RunId::parse("run_01hf7yat00000000000000000z");

Record in_state(State state) {
  Record record;
  record.kind = kCommand;
  record.id = kId;
  record.lane = "default";
  record.queued_at = 100;
  record.state = state;
  record.events = 1;
  return record;
}

Fact ended(Ending ending, StopCause cause = StopCause::none) {
  Ended fact;
  fact.id = kId;
  fact.ending = std::move(ending);
  fact.cause = cause;
  fact.finished_at = 300;
  return fact;
}

// A fact that causes `happening`.
Fact fact_of(Happening happening) {
  switch (happening) {
    case Happening::claimed:
      return Claimed{kId};
    case Happening::started:
      return Started{kId, 200};
    case Happening::completed:
      return ended(Exited{0});
    case Happening::failed:
      return ended(Exited{1});
    case Happening::canceled:
      return ended(Killed{15, false}, StopCause::cancel);
    case Happening::timed_out:
      return ended(Killed{15, false}, StopCause::timeout);
    case Happening::abandoned:
      return ended(Unknown{Reason::keeper_lost});
  }
  std::abort();
}

const JudgementContext kContext{.wall_ms = 400, .mono_ns = 1, .lane_has_free_slot = true};

// R2: each row of the table is legal, and every other pair is refused by name.
TEST(Life, EveryRowIsLegalAndEveryOtherPairRefused) {
  size_t walked = 0;
  for (const State from : kStates) {
    for (const Happening happening : kHappenings) {
      const std::string pair = std::string(name(from)) + " × " + std::string(name(happening));
      const Record before = in_state(from);
      const auto change = apply(&before, fact_of(happening), kContext);
      if (const auto to = next(from, happening)) {
        ASSERT_TRUE(change) << pair << ": " << change.error().message;
        EXPECT_EQ(change->effect, Effect::changed) << pair;
        EXPECT_EQ(change->after.state, *to) << pair;
        EXPECT_EQ(change->events.size(), 1U) << pair;
        ++walked;
      } else if (from == State::running && happening == Happening::started) {
        ASSERT_TRUE(change) << pair;  // Already so: two observers of the start may both report it.
        EXPECT_EQ(change->effect, Effect::none);
        EXPECT_TRUE(change->events.empty());
      } else {
        ASSERT_FALSE(change) << pair;
        EXPECT_EQ(change.error().code, ErrorCode::conflict) << pair;
        EXPECT_EQ(change.error().reason,
                  is_finished(from) ? "already_terminal" : "illegal_transition")
            << pair;
        EXPECT_EQ(change.error().param, "run_id") << pair;
      }
    }
  }
  EXPECT_EQ(walked, kLife.size());
}

// R2 as the contract states it, repeated here: the legal successors of each state.
TEST(Life, IsWhatTheContractSays) {
  const std::set<State> finished{State::completed, State::failed, State::canceled, State::timed_out,
                                 State::abandoned};
  for (const State from : kStates) {
    std::set<State> expected;
    if (!finished.contains(from)) {
      expected = finished;
      if (from != State::running) expected.erase(State::completed);
      if (from == State::queued) expected.insert(State::starting);
      if (from == State::starting) expected.insert(State::running);
    }
    std::set<State> possible;
    for (const Step& step : kLife) {
      if (step.from == from) possible.insert(step.to);
    }
    EXPECT_EQ(possible, expected) << name(from);
    EXPECT_EQ(is_finished(from), finished.contains(from)) << name(from);
  }
}

// R16: a run takes a slot of its lane from its claim to its finish, and at no other time.
TEST(Life, SlotsAreTakenFromClaimToFinish) {
  for (const State state : kStates) {
    EXPECT_EQ(holds_slot(state), state == State::starting || state == State::running)
        << name(state);
  }
}

// Each state has its own name, and the name parses back to it.
TEST(Life, NamesRoundTrip) {
  std::set<std::string_view> names;
  for (const State state : kStates) {
    EXPECT_EQ(state_named(name(state)), state);
    names.insert(name(state));
  }
  EXPECT_EQ(names.size(), kStates.size());
  EXPECT_EQ(state_named("cancelled"), std::nullopt);
  EXPECT_EQ(state_named(""), std::nullopt);
}

}  // namespace
}  // namespace drover::run
