#include "play/life.h"

#include <gtest/gtest.h>

#include <map>
#include <set>

namespace drover::play {
namespace {

// P8: the table has exactly these transitions, repeated here by hand, and refuses all others.
TEST(PlayLife, HasExactlyTheseTransitions) {
  using S = State;
  using H = Happening;
  const std::map<std::pair<S, H>, S> may{
      {{S::idle, H::played}, S::preparing},
      {{S::prepare_failed, H::played}, S::preparing},
      {{S::runtime_failed, H::played}, S::preparing},
      {{S::stopped, H::played}, S::preparing},
      {{S::preparing, H::prepared}, S::connecting},
      {{S::preparing, H::preparation_failed}, S::prepare_failed},
      {{S::connecting, H::confirmed}, S::running},
      {{S::connecting, H::failed}, S::runtime_failed},
      {{S::connecting, H::ended}, S::stopped},
      {{S::running, H::failed}, S::runtime_failed},
      {{S::running, H::ended}, S::stopped},
  };
  for (const S state : kStates) {
    for (const H happening : kHappenings) {
      const auto want = may.find({state, happening});
      const auto got = next(state, happening);
      ASSERT_EQ(got.has_value(), want != may.end()) << name(state) << " " << name(happening);
      if (got) EXPECT_EQ(*got, want->second) << name(state) << " " << name(happening);
    }
  }
}

// P6, P7: the states in which Play starts a play and Stop ends one.
TEST(PlayLife, SaysWherePlayAndStopWork) {
  std::set<std::string_view> rests;
  std::set<std::string_view> stops;
  for (const State state : kStates) {
    if (is_at_rest(state)) rests.insert(name(state));
    if (can_stop(state)) stops.insert(name(state));
    EXPECT_EQ(state_named(name(state)), state);
  }
  EXPECT_EQ(rests,
            (std::set<std::string_view>{"idle", "prepare_failed", "runtime_failed", "stopped"}));
  EXPECT_EQ(stops, (std::set<std::string_view>{"connecting", "running"}));
  EXPECT_EQ(state_named("nonsense"), std::nullopt);
}

}  // namespace
}  // namespace drover::play
