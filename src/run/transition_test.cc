#include "run/transition.h"

#include <gtest/gtest.h>

#include <csignal>

namespace drover::run {
namespace {

const RunId kId = *RunId::parse("run_01hf7yat00000000000000000z");

Record submitted_record() {
  Record record;
  record.id = kId;
  record.trace_id = kId.trace_id();
  record.kind = "command";
  record.scope = "default";
  record.lane = "default";
  record.command = {"make", "test"};
  record.cwd = "/";
  record.queued_at = 100;
  return record;
}

// One run and its events, as a store keeps them.
class Transition : public ::testing::Test {
 protected:
  Result<Change> tell(const Fact& fact,
                      JudgementContext context = {.wall_ms = 500, .mono_ns = 1'000}) {
    auto change = apply(known ? &*known : nullptr, fact, context);
    if (!change) return change;
    for (const Event& event : change->events) types.push_back(event.type);
    if (change->effect == Effect::removed) {
      known.reset();
    } else {
      known = change->after;
    }
    return change;
  }
  void submit(bool room) {
    ASSERT_TRUE(tell(Submitted{submitted_record(), "", ""},
                     {.wall_ms = 100, .mono_ns = 0, .lane_has_free_slot = room}));
  }
  void run() {
    submit(true);
    ASSERT_TRUE(tell(Started{kId, 200}));
  }
  Ended ended(Ending ending) {
    Ended fact;
    fact.id = kId;
    fact.ending = std::move(ending);
    fact.exit_mono_ns = 5'000;
    fact.finished_at = 900;
    return fact;
  }

  std::optional<Record> known;
  std::vector<std::string> types;
};
using Types = std::vector<std::string>;

// R1: a run is recorded before anything is spawned; with a free slot it is claimed in the same
// step.
TEST_F(Transition, ASubmissionWithAFreeSlotIsClaimedAtOnce) {
  submit(true);
  EXPECT_EQ(known->state, State::starting);
  EXPECT_EQ(types, (Types{"run.queued", "run.starting"}));
}

// R16: without a free slot it waits, and a claim without one is refused and changes nothing.
TEST_F(Transition, WithoutAFreeSlotItWaits) {
  submit(false);
  EXPECT_EQ(known->state, State::queued);
  const auto refused = tell(Claimed{kId}, {.lane_has_free_slot = false});
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().reason, "lane_full");
  EXPECT_EQ(known->state, State::queued);
  ASSERT_TRUE(tell(Claimed{kId}, {.lane_has_free_slot = true}));
  EXPECT_EQ(known->state, State::starting);
}

// A repeated submission is one run.
TEST_F(Transition, ASecondSubmissionChangesNothing) {
  submit(true);
  const auto again = tell(Submitted{submitted_record(), "", ""}, {.lane_has_free_slot = true});
  ASSERT_TRUE(again);
  EXPECT_EQ(again->effect, Effect::none);
  EXPECT_EQ(types.size(), 2U);
}

// If a run's start was never recorded (no daemon was running), it is recorded with the finish, in
// order.
TEST_F(Transition, ALateStartIsRecordedBeforeTheFinish) {
  submit(true);
  Ended fact = ended(Exited{0});
  fact.started_at = 250;
  ASSERT_TRUE(tell(fact));
  EXPECT_EQ(known->state, State::completed);
  EXPECT_EQ(known->started_at, 250);
  EXPECT_EQ(types, (Types{"run.queued", "run.starting", "run.started", "run.completed"}));
}

// If the clock was set back while a run was active, it does not finish before its start.
TEST_F(Transition, FinishesNoEarlierThanItsStart) {
  submit(true);
  Ended fact = ended(Exited{0});
  fact.started_at = 5'000;
  fact.finished_at = 1'000;
  ASSERT_TRUE(tell(fact));
  EXPECT_EQ(known->started_at, 5'000);
  EXPECT_EQ(known->finished_at, 5'000);
}

// H7: the first finish wins; a later one is refused by name and changes nothing.
TEST_F(Transition, TheFirstFinishWins) {
  run();
  ASSERT_TRUE(tell(ended(Exited{0})));
  const size_t before = types.size();
  for (const Ending& late : {Ending{Exited{1}}, Ending{Unknown{}}, Ending{Killed{9, false}}}) {
    const auto refused = tell(ended(late));
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().reason, "already_terminal");
  }
  EXPECT_EQ(known->state, State::completed);
  EXPECT_EQ(types.size(), before);
}

struct Race {
  const char* what;
  std::optional<MonoNs> cancel_at;  // The exit is seen at 5,000.
  StopCause cause;
  bool killed_after_grace;
  Ending ending;
  State state;
  Reason reason;
};

// R4: a request is recorded before the exit is classified. An exit seen before the cancel was
// recorded is judged by its code; otherwise timeout beats cancel beats exit code.
TEST_F(Transition, RacesAreDecidedByTheContract) {
  const Ending zero = Exited{0};
  const Ending term = Killed{SIGTERM, false};
  const Ending kill = Killed{SIGKILL, false};
  const auto none = StopCause::none;
  const std::vector<Race> races{
      {"nobody asked", {}, none, false, zero, State::completed, Reason::exit_zero},
      {"killed by a stranger", {}, none, false, kill, State::failed, Reason::signaled},
      {"exit, then cancel", 5'001, none, false, zero, State::completed, Reason::exit_zero},
      {"exit 1, then cancel", 9'000, none, false, Exited{1}, State::failed, Reason::exit_nonzero},
      {"cancel, then exit 0", 4'999, none, false, zero, State::canceled, Reason::canceled_by_owner},
      {"at the same instant", 5'000, none, false, zero, State::canceled, Reason::canceled_by_owner},
      {"cancel, TERM", 1'000, StopCause::cancel, false, term, State::canceled,
       Reason::canceled_by_owner},
      {"cancel, grace, KILL", 1'000, StopCause::cancel, true, kill, State::canceled,
       Reason::cancel_forced},
      {"the keeper's word is enough",
       {},
       StopCause::cancel,
       false,
       term,
       State::canceled,
       Reason::canceled_by_owner},
      {"timeout", {}, StopCause::timeout, false, term, State::timed_out, Reason::timeout},
      {"timeout, then exit 0",
       {},
       StopCause::timeout,
       false,
       zero,
       State::timed_out,
       Reason::timeout},
      {"timeout and cancel", 1'000, StopCause::timeout, true, kill, State::timed_out,
       Reason::timeout},
      {"idle timeout and cancel", 1'000, StopCause::idle_timeout, false, term, State::timed_out,
       Reason::idle_timeout},
      {"cancel before a failed launch", 1'000, none, false,
       NotLaunched{LaunchStep::exec, ENOENT, "x"}, State::canceled, Reason::canceled_by_owner},
      {"a failed launch has no timeout",
       {},
       StopCause::timeout,
       false,
       NotLaunched{LaunchStep::exec, ENOENT, "x"},
       State::failed,
       Reason::launch_failed},
      {"keeper lost", {}, none, false, Unknown{}, State::abandoned, Reason::keeper_lost},
  };
  for (const Race& race : races) {
    known.reset();
    run();
    if (race.cancel_at) {
      ASSERT_TRUE(tell(CancelRequested{kId}, {.wall_ms = 300, .mono_ns = *race.cancel_at}));
    }
    Ended fact = ended(race.ending);
    fact.cause = race.cause;
    fact.receipt.emplace();
    fact.receipt->kill_at = race.killed_after_grace ? 2'310 : 0;
    ASSERT_TRUE(tell(fact)) << race.what;
    EXPECT_EQ(known->state, race.state) << race.what;
    EXPECT_EQ(known->reason, race.reason) << race.what;
    EXPECT_FALSE(known->receipt.empty()) << race.what;
  }
}

// R6: a cancel of a queued run finishes it at once; it never spawns.
TEST_F(Transition, CancelWhileQueuedFinishesAtOnce) {
  submit(false);
  ASSERT_TRUE(tell(CancelRequested{kId}));
  EXPECT_EQ(known->state, State::canceled);
  EXPECT_EQ(known->reason, Reason::canceled_by_owner);
  EXPECT_EQ(known->origin, Origin::owner);
  EXPECT_EQ(known->started_at, 0);
  EXPECT_EQ(types, (Types{"run.queued", "run.cancel_requested", "run.canceled"}));
  EXPECT_EQ(tell(Claimed{kId}, {.lane_has_free_slot = true}).error().reason, "already_terminal");
  EXPECT_EQ(tell(Started{kId, 600}).error().reason, "already_terminal");
}

// R6: between claim and spawn, and while running, the request is recorded; the finish follows
// later.
TEST_F(Transition, CancelWhileStartingOrRunningIsRecorded) {
  for (const bool running : {false, true}) {
    known.reset();
    types.clear();
    running ? run() : submit(true);
    const State before = known->state;
    ASSERT_TRUE(tell(CancelRequested{kId}, {.wall_ms = 300, .mono_ns = 77}));
    EXPECT_EQ(known->state, before);
    EXPECT_TRUE(known->cancel_requested);
    EXPECT_EQ(known->cancel_mono_ns, 77);
    EXPECT_EQ(types.back(), "run.cancel_requested");

    const auto again = tell(CancelRequested{kId}, {.wall_ms = 301, .mono_ns = 99});
    ASSERT_TRUE(again);
    EXPECT_EQ(again->effect, Effect::none);  // Repeating it is harmless,
    EXPECT_EQ(known->cancel_mono_ns, 77);    // and the first request counts.
    ASSERT_TRUE(tell(ended(Killed{SIGTERM, false})));
    EXPECT_EQ(known->state, State::canceled);
  }
}

// R6: canceling a finished run succeeds and changes nothing.
TEST_F(Transition, CancelAfterTheFinishChangesNothing) {
  run();
  ASSERT_TRUE(tell(ended(Exited{0})));
  const auto change = tell(CancelRequested{kId});
  ASSERT_TRUE(change);
  EXPECT_EQ(change->effect, Effect::none);
  EXPECT_FALSE(known->cancel_requested);
  EXPECT_EQ(known->state, State::completed);
}

// R8: an active run is never deleted; the refusal says what to do.
TEST_F(Transition, DeletingAnActiveRunIsRefused) {
  submit(false);
  for (const Fact& next : {Fact{Claimed{kId}}, Fact{Started{kId, 200}}}) {
    const auto refused = tell(Deleted{kId});
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().reason, "active_process_conflict");
    EXPECT_NE(refused.error().message.find("cancel"), std::string::npos);
    ASSERT_TRUE(tell(next, {.lane_has_free_slot = true}));
  }
  EXPECT_EQ(tell(Deleted{kId}).error().reason, "active_process_conflict");
}

// R8: deleting a finished run removes its record and appends run.deleted after its last event.
TEST_F(Transition, DeletingAFinishedRunLeavesEvidence) {
  run();
  ASSERT_TRUE(tell(ended(Exited{0})));
  const auto change = tell(Deleted{kId});
  ASSERT_TRUE(change);
  EXPECT_EQ(change->effect, Effect::removed);
  EXPECT_EQ(types.back(), "run.deleted");
  EXPECT_EQ(change->events.back().run_seq, 5);
  EXPECT_FALSE(change->events.back().is_final);
  EXPECT_EQ(tell(Deleted{kId}).error().code, ErrorCode::not_found);
}

// H4: a run that only its file knows is recorded once: waiting, or with a keeper.
TEST_F(Transition, TakesUpARun) {
  ASSERT_TRUE(tell(TakenUp{.record = submitted_record()}));
  EXPECT_EQ(types, (Types{"run.taken_up"}));
  EXPECT_EQ(known->state, State::queued);
  EXPECT_EQ(tell(TakenUp{.record = submitted_record()})->effect, Effect::none);
  ASSERT_TRUE(tell(TakenUp{.record = submitted_record(), .begun = true}));
  EXPECT_EQ(types, (Types{"run.taken_up", "run.starting"}));
  EXPECT_EQ(tell(TakenUp{.record = submitted_record(), .begun = true})->effect, Effect::none);
  ASSERT_TRUE(tell(ended(Exited{3})));
  EXPECT_EQ(tell(TakenUp{.record = submitted_record(), .begun = true})->effect, Effect::none);
}

// R6: a run that was canceled before it started stays canceled, also if the record says that it
// waits; an end that is on record stays.
TEST_F(Transition, TakesUpAnEnd) {
  submit(false);
  KnownEnd end;
  end.record.state = State::canceled;
  end.record.reason = Reason::canceled_by_owner;
  end.record.origin = Origin::owner;
  end.record.finished_at = 300;
  end.record.cancel_requested = true;
  ASSERT_TRUE(tell(TakenUp{.record = submitted_record(), .end = end}));
  EXPECT_EQ(types, (Types{"run.queued", "run.cancel_requested", "run.canceled"}));
  EXPECT_EQ(known->reason, Reason::canceled_by_owner);
  EXPECT_EQ(known->finished_at, 300);
  end.record.state = State::abandoned;
  EXPECT_EQ(tell(TakenUp{.record = submitted_record(), .end = end})->effect, Effect::none);
  EXPECT_EQ(known->state, State::canceled);
}

// A run that had started and was abandoned has its start before its end.
TEST_F(Transition, TakesUpAnEndWithItsStart) {
  KnownEnd end;
  end.record.state = State::abandoned;
  end.record.reason = Reason::keeper_lost;
  end.record.origin = Origin::host;
  end.record.started_at = 200;
  end.record.finished_at = 300;
  ASSERT_TRUE(tell(TakenUp{.record = submitted_record(), .end = end}));
  EXPECT_EQ(types, (Types{"run.taken_up", "run.starting", "run.started", "run.abandoned"}));
  EXPECT_EQ(known->started_at, 200);
}

}  // namespace
}  // namespace drover::run
