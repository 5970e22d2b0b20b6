// What happens to plays and to what belongs to them, as rules.
#include "run/composite.h"

#include <gtest/gtest.h>

#include "run/kind.h"
#include "run/transition.h"

namespace drover::run {
namespace {

const RunId kId = *RunId::parse("run_01hf7yat00000000000000000z");

Record record_of(std::string_view kind, State state, const std::string& lane) {
  Record record;
  record.id = kId;
  record.kind = kind;
  record.scope = "project/game";
  record.lane = lane;
  record.state = state;
  if (is_composite(kind)) {
    record.session = session::text_of({.project = "game", .state = session::State::preparing});
  }
  return record;
}
std::string reason_of(const Result<Change>& change) {
  return change ? "" : change.error().reason;
}
std::string submit(std::string_view kind, const std::string& lane, Moment moment = {}) {
  Record record = record_of(kind, State::queued, lane);
  if (is_composite(kind)) record.session = session::text_of({.project = "game"});
  return reason_of(apply(nullptr, Submitted{.record = record, .key = {}, .digest = {}}, moment));
}

// R16, P6: the lane of plays takes what belongs to a play and nobody else, by whatever way.
TEST(LaneOfPlays, IsReserved) {
  for (const std::string_view kind : {kStep, kRuntime}) {
    EXPECT_EQ(submit(kind, "play"), "");
    EXPECT_EQ(submit(kind, "default"), "");
  }
  EXPECT_EQ(submit(kCommand, "play"), "lane_reserved");
  EXPECT_EQ(submit(kCommand, "default"), "");
  const Record waits = record_of(kCommand, State::queued, "default");
  EXPECT_EQ(reason_of(apply(&waits, Moved{.id = kId, .lane = "play"}, {})), "lane_reserved");
  EXPECT_EQ(reason_of(apply(&waits, Moved{.id = kId, .lane = "other"}, {})), "");
  const Record step = record_of(kStep, State::queued, "default");
  EXPECT_EQ(reason_of(apply(&step, Moved{.id = kId, .lane = "play"}, {})), "");
}

// R16: a draining lane turns a new play away, and lets one that has begun ask for its runs.
TEST(LaneOfPlays, DrainsByPlays) {
  const Moment draining{.lane_draining = true};
  EXPECT_EQ(submit(kPlay, "", draining), "lane_draining");
  EXPECT_EQ(submit(kStep, "play", draining), "");
  EXPECT_EQ(submit(kRuntime, "play", draining), "");
  EXPECT_EQ(submit(kCommand, "other", draining), "lane_draining");
  const Record rival = record_of(kPlay, State::running, "");
  EXPECT_EQ(submit(kPlay, "", {.lane_draining = true, .rival = &rival}), "already_playing");
}

// What a writer has to look at before it judges a play: the lane its runs will stand in.
TEST(LaneOfPlays, IsOfInterestToAPlay) {
  const Fact fact =
      Submitted{.record = record_of(kPlay, State::queued, ""), .key = {}, .digest = {}};
  ASSERT_NE(lane_of_interest(fact, nullptr), nullptr);
  EXPECT_EQ(*lane_of_interest(fact, nullptr), kPlayLane);
}

// P7: what may end a step, in each state: a cancel never; Stop, which asks for those that wait,
// only as long as it waits; the daemon that ends everything, always.
TEST(Step, IsCanceledOnlyWhileItWaits) {
  for (const State state : {State::queued, State::starting, State::running}) {
    const Record step = record_of(kStep, state, "play");
    EXPECT_EQ(reason_of(apply(&step, CancelRequested{.id = kId}, {})), "not_cancellable");
    EXPECT_EQ(reason_of(apply(&step, CancelRequested{.id = kId, .of_any_kind = true}, {})), "");
    const auto stopped =
        apply(&step, CancelRequested{.id = kId, .of_any_kind = true, .only_queued = true}, {});
    if (state != State::queued) {
      EXPECT_EQ(reason_of(stopped), "not_cancellable") << name(state);
      continue;
    }
    ASSERT_TRUE(stopped);
    EXPECT_EQ(stopped->after.state, State::canceled);
    EXPECT_EQ(stopped->after.reason, Reason::canceled_by_owner);
  }
}

// P8: what cannot be read becomes a session that can, at rest, with the end of its run; what can be
// read is not lost, and what has ended stays as it is.
TEST(Session, IsLostOnlyIfItCannotBeRead) {
  Record play = record_of(kPlay, State::running, "");
  EXPECT_EQ(reason_of(apply(&play, SessionLost{kId}, {})), "illegal_transition");
  play.session = "nonsense";
  const auto lost = apply(&play, SessionLost{kId}, {.wall_ms = 5});
  ASSERT_TRUE(lost);
  const auto session = session::parse_session(lost->after.session);
  ASSERT_TRUE(session);
  EXPECT_EQ(session->project, "game");
  EXPECT_EQ(session->state, session::State::runtime_failed);
  EXPECT_EQ(session->code, "session_lost");
  EXPECT_EQ(lost->after.state, State::abandoned);
  EXPECT_EQ(lost->after.message, session->message);
  ASSERT_EQ(lost->events.size(), 2u);
  EXPECT_EQ(lost->events[0].type, "play.changed");
  EXPECT_EQ(lost->events[1].type, "run.abandoned");
  EXPECT_FALSE(apply(&lost->after, SessionLost{kId}, {}));
  const Record command = record_of(kCommand, State::running, "default");
  EXPECT_EQ(reason_of(apply(&command, SessionLost{kId}, {})), "illegal_transition");
}

}  // namespace
}  // namespace drover::run
