// The clients' tables of states agree with the daemon's.
#include <gtest/gtest.h>

#include "play/kinds.h"
#include "play/play_session.h"
#include "run/kind.h"
#include "run/life.h"
#include "wire/play/words.h"
#include "wire/run_state.h"

namespace drover {
namespace {

// Every run state has the same name for clients and in the daemon, and is final in both or in
// neither.
TEST(Words, RunStatesAgreeWithTheDaemon) {
  ASSERT_EQ(wire::kRunStateNames.size(), run::kStates.size());
  for (const run::State state : run::kStates) {
    const auto told = wire::run_state_named(run::name(state));
    ASSERT_TRUE(told.has_value()) << run::name(state);
    EXPECT_EQ(static_cast<int>(*told), static_cast<int>(state));
    EXPECT_EQ(wire::is_finished(*told), run::is_finished(state)) << run::name(state);
  }
}

// The same for play sessions, stages and kinds.
TEST(Words, PlaySessionStatesAgreeWithTheDaemon) {
  ASSERT_EQ(wire::play::kSessionStateNames.size(), play::kStates.size());
  for (const play::State state : play::kStates) {
    const auto told = wire::play::session_state_named(play::name(state));
    ASSERT_TRUE(told.has_value()) << play::name(state);
    EXPECT_EQ(static_cast<int>(*told), static_cast<int>(state));
    EXPECT_EQ(wire::play::is_at_rest(*told), play::is_at_rest(state)) << play::name(state);
  }
  ASSERT_EQ(wire::play::kStages.size(), play::kStages.size());
  for (const play::Stage stage : play::kStages) {
    EXPECT_EQ(wire::play::kStages[static_cast<size_t>(stage)], play::name(stage));
  }
  EXPECT_EQ(wire::play::kPlayKind, drover::play::kPlay);
  EXPECT_EQ(wire::play::kStepKind, drover::play::kStep);
  EXPECT_EQ(wire::play::kRuntimeKind, drover::play::kRuntime);
}

}  // namespace
}  // namespace drover
