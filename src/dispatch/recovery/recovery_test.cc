#include "dispatch/recovery/recovery.h"

#include <gtest/gtest.h>

namespace drover::dispatch {
namespace {

run::Record record(run::State state, run::OnRestart on_restart = run::OnRestart::requeue,
                   bool cancel = false) {
  run::Record r;
  r.state = state;
  r.on_restart = on_restart;
  r.cancel_requested = cancel;
  return r;
}

JournalState journal(Liveness liveness, std::int32_t keeper = -1) {
  JournalState p{.liveness = liveness, .text = {}};
  if (keeper >= 0) p.text.identity = IdentityRecord{.keeper = {.pid = keeper}};
  return p;
}

// H10, case by case: the journal decides first, then the submitter's on_restart.
TEST(Recovery, HasARemedyForEveryCase) {
  using run::OnRestart;
  using run::State;
  const JournalState nothing = journal(Liveness::unclaimed);
  const JournalState alive = journal(Liveness::alive, 4711);
  const JournalState dead = journal(Liveness::dead, 4711);
  const JournalState unsigned_claim = journal(Liveness::dead);
  const JournalState forbidden = journal(Liveness::dead, 0);

  EXPECT_EQ(remedy_for(record(State::queued), nothing), Remedy::wait);
  EXPECT_EQ(remedy_for(record(State::queued, OnRestart::fail), nothing), Remedy::never_start);
  for (const JournalState& unbegun : {nothing, unsigned_claim, forbidden}) {
    EXPECT_EQ(remedy_for(record(State::starting), unbegun), Remedy::launch);
    EXPECT_EQ(remedy_for(record(State::starting, OnRestart::fail), unbegun), Remedy::never_start);
    EXPECT_EQ(remedy_for(record(State::starting, OnRestart::requeue, true), unbegun),
              Remedy::never_start);
    // It may have run: never again. Unknown is never success.
    EXPECT_EQ(remedy_for(record(State::running), unbegun), Remedy::conclude);
  }
  // A keeper whose identity was lost on the disk had started all the same: its command never runs
  // twice.
  JournalState nameless = nothing;
  nameless.text.started = StartedRecord{};
  EXPECT_EQ(remedy_for(record(State::starting), nameless), Remedy::conclude);
  nameless = nothing;
  nameless.text.ending = EndingRecord{};
  EXPECT_EQ(remedy_for(record(State::starting), nameless), Remedy::conclude);
  for (const State state : {State::starting, State::running}) {
    for (const OnRestart wish : {OnRestart::requeue, OnRestart::fail}) {
      EXPECT_EQ(remedy_for(record(state, wish), alive), Remedy::adopt);
      EXPECT_EQ(remedy_for(record(state, wish), dead), Remedy::conclude);
    }
  }
}

}  // namespace
}  // namespace drover::dispatch
