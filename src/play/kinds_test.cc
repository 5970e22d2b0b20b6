// The rules of the kinds play, step and runtime.
#include "play/kinds.h"

#include <gtest/gtest.h>

#include "play/phase.h"
#include "run/transition.h"

namespace drover::play {
namespace {

using run::CancelRequested;
using run::Change;
using run::JudgementContext;
using run::kCommand;
using run::Moved;
using run::Record;
using run::State;
using run::Submitted;

const run::Kinds& kinds() {
  static const std::array<std::span<const run::Kind>, 1> kRooms{kKinds};
  static const run::Kinds all(kRooms);
  return all;
}
Result<Change> judge(const Record* before, const run::Fact& fact,
                     const JudgementContext& context = {}) {
  return run::apply(before, fact,
                    {.kinds = kinds(),
                     .wall_ms = context.wall_ms,
                     .lane_draining = context.lane_draining,
                     .rival = context.rival});
}

const RunId kId = *RunId::parse("run_01hf7yat00000000000000000z");

Record record_of(std::string_view kind, State state, const std::string& lane) {
  Record record;
  record.id = kId;
  record.kind = kind;
  record.scope = "project/game";
  record.lane = lane;
  record.state = state;
  if (kind == kPlay) {
    record.phase = play::text_of({.project = "game", .state = play::State::preparing});
  }
  return record;
}
std::string reason_of(const Result<Change>& change) {
  return change ? "" : change.error().reason;
}
std::string submit(std::string_view kind, const std::string& lane, JudgementContext context = {}) {
  Record record = record_of(kind, State::queued, lane);
  if (kind == kPlay) record.phase = play::text_of({.project = "game"});
  return reason_of(judge(nullptr, Submitted{.record = record, .key = {}, .digest = {}}, context));
}

// R16, P6: only steps and runtimes of plays can enter the lane of plays, in any way.
TEST(LaneOfPlays, IsReserved) {
  for (const std::string_view kind : {kStep, kRuntime}) {
    EXPECT_EQ(submit(kind, "play"), "");
    EXPECT_EQ(submit(kind, "default"), "");
  }
  EXPECT_EQ(submit(kCommand, "play"), "lane_reserved");
  EXPECT_EQ(submit(kCommand, "default"), "");
  const Record waits = record_of(kCommand, State::queued, "default");
  EXPECT_EQ(reason_of(judge(&waits, Moved{.id = kId, .lane = "play"})), "lane_reserved");
  EXPECT_EQ(reason_of(judge(&waits, Moved{.id = kId, .lane = "other"})), "");
  const Record step = record_of(kStep, State::queued, "default");
  EXPECT_EQ(reason_of(judge(&step, Moved{.id = kId, .lane = "play"})), "");
}

// R16: a draining lane refuses a new play, and accepts the runs of a play that has begun.
TEST(LaneOfPlays, DrainsWholePlays) {
  const JudgementContext draining{.lane_draining = true};
  EXPECT_EQ(submit(kPlay, "", draining), "lane_draining");
  EXPECT_EQ(submit(kStep, "play", draining), "");
  EXPECT_EQ(submit(kRuntime, "play", draining), "");
  EXPECT_EQ(submit(kCommand, "other", draining), "lane_draining");
  const Record rival = record_of(kPlay, State::running, "");
  EXPECT_EQ(submit(kPlay, "", {.lane_draining = true, .rival = &rival}), "already_active");
}

// To judge a play, a writer must read the lane that its runs will enter.
TEST(LaneOfPlays, IsReadToJudgeAPlay) {
  const run::Fact fact =
      Submitted{.record = record_of(kPlay, State::queued, ""), .key = {}, .digest = {}};
  EXPECT_EQ(lane_of_interest(kinds(), fact, nullptr), kLane);
}

// P7: a person's cancel never ends a step, in any state; Stop ends a step that is still queued;
// `stop --kill` ends every step.
TEST(Step, IsCanceledOnlyWhileQueued) {
  for (const State state : {State::queued, State::starting, State::running}) {
    const Record step = record_of(kStep, state, "play");
    EXPECT_EQ(reason_of(judge(&step, CancelRequested{.id = kId})), "not_cancellable");
    EXPECT_EQ(reason_of(judge(&step, CancelRequested{.id = kId, .of_any_kind = true})), "");
    const auto stopped =
        judge(&step, CancelRequested{.id = kId, .of_any_kind = true, .only_queued = true}, {});
    if (state != State::queued) {
      EXPECT_EQ(reason_of(stopped), "not_cancellable") << run::name(state);
      continue;
    }
    ASSERT_TRUE(stopped);
    EXPECT_EQ(stopped->after.state, State::canceled);
    EXPECT_EQ(stopped->after.reason, run::Reason::canceled_by_owner);
  }
}

// P8: an unreadable session is replaced by a readable one at rest when its run ends. A readable or
// a finished session stays as it is.
TEST(PlaySession, IsReplacedOnlyIfUnreadable) {
  Record play = record_of(kPlay, State::running, "");
  EXPECT_EQ(reason_of(judge(&play, lost(kId))), "illegal_transition");
  play.phase = "nonsense";
  const auto done = judge(&play, lost(kId), {.wall_ms = 5});
  ASSERT_TRUE(done);
  const auto session = play::parse_session(done->after.phase);
  ASSERT_TRUE(session);
  EXPECT_EQ(session->project, "game");
  EXPECT_EQ(session->state, play::State::runtime_failed);
  EXPECT_EQ(session->code, "session_lost");
  EXPECT_EQ(done->after.state, State::abandoned);
  EXPECT_EQ(done->after.message, session->message);
  ASSERT_EQ(done->events.size(), 2u);
  EXPECT_EQ(done->events[0].type, "play.changed");
  EXPECT_EQ(done->events[1].type, "run.abandoned");
  EXPECT_FALSE(judge(&done->after, lost(kId)));
  const Record command = record_of(kCommand, State::running, "default");
  EXPECT_EQ(reason_of(judge(&command, lost(kId))), "illegal_transition");
}

}  // namespace
}  // namespace drover::play
