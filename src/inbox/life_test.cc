#include "inbox/life.h"

#include <gtest/gtest.h>

#include <map>

namespace drover::inbox {
namespace {

// A15: the table has exactly these transitions, repeated here by hand, and refuses all others.
TEST(QuestionLife, HasExactlyTheseTransitions) {
  const std::map<Happening, State> may{{Happening::answer, State::answered},
                                       {Happening::expiry, State::expired},
                                       {Happening::dismiss, State::dismissed},
                                       {Happening::withdraw, State::withdrawn}};
  for (const State state : kStates) {
    EXPECT_EQ(state_named(name(state)), state);
    for (const Happening happening : kHappenings) {
      const auto got = next(state, happening);
      ASSERT_EQ(got.has_value(), state == State::open) << name(state);
      if (got) EXPECT_EQ(*got, may.at(happening));
    }
  }
  EXPECT_EQ(state_named("closed"), std::nullopt);
}

}  // namespace
}  // namespace drover::inbox
