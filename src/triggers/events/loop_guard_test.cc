#include "triggers/events/loop_guard.h"

#include <gtest/gtest.h>

namespace drover::triggers {
namespace {

std::string reason(const TriggerChain& chain, std::string_view trigger, bool caused = false,
                   const RecentFirings& recent = {}) {
  const auto found = find_loop(chain, trigger, caused, recent);
  return found ? found->reason : "";
}

// An event from outside, or of other triggers, may fire a trigger.
TEST(LoopGuard, LetsAChainOfDifferentTriggersPass) {
  EXPECT_EQ(reason({}, "a"), "");
  EXPECT_EQ(reason({"b", "c"}, "a", true), "");
  EXPECT_EQ(reason({"ab"}, "a", true), "");
}

// A trigger whose own run caused the event is stopped, directly and through others.
TEST(LoopGuard, StopsATriggerThatStartsItself) {
  EXPECT_EQ(reason({"a"}, "a", true), "loop");
  EXPECT_EQ(reason({"a", "b", "c"}, "a", true), "loop");
  const auto found = find_loop(TriggerChain{"a", "b"}, "a", true, {});
  ASSERT_TRUE(found);
  EXPECT_EQ(found->message, "a run of this trigger caused the event: a → b → a");
}

// Whatever triggers there are, each run that fires all of them leads to finitely many runs.
TEST(LoopGuard, EveryChainEnds) {
  std::vector<std::string> triggers;
  for (char c = 'a'; c <= 'z'; ++c) triggers.emplace_back(1, c);
  TriggerChain chain;
  size_t fired = 0;
  for (bool any = true; any;) {
    any = false;
    for (const std::string& trigger : triggers) {
      if (!reason(chain, trigger, true).empty()) continue;
      chain = extend(chain, trigger);
      any = true;
      ++fired;
      break;
    }
  }
  EXPECT_EQ(fired, kChainMax);
  EXPECT_EQ(reason(chain, "zz", true), "too_deep");
}

// Firing too often in a minute is stopped: soon if runs of triggers are the cause, late if not.
TEST(LoopGuard, StopsATriggerThatFiresTooFast) {
  EXPECT_EQ(reason({"b"}, "a", true, {.caused = kCausedFiringsMax - 1, .all = 100}), "");
  EXPECT_EQ(reason({"b"}, "a", true, {.caused = kCausedFiringsMax, .all = 100}), "too_fast");
  // Events from outside are not held up by those from inside.
  EXPECT_EQ(reason({}, "a", false, {.caused = kCausedFiringsMax, .all = 100}), "");
  EXPECT_EQ(reason({}, "a", false, {.caused = 0, .all = kFiringsMax - 1}), "");
  EXPECT_EQ(reason({}, "a", false, {.caused = 0, .all = kFiringsMax}), "too_fast");
}

// A file event during the trigger's run, or shortly after it, counts as caused by the run.
TEST(LoopGuard, SuspectsFileEventsNearTheRun) {
  const LatestRun active{.started_at = 1'000, .finished_at = std::nullopt};
  const LatestRun over{.started_at = 1'000, .finished_at = 2'000};
  EXPECT_FALSE(is_caused({}, true, 5'000, std::nullopt));
  EXPECT_FALSE(is_caused({}, true, 999, active));
  EXPECT_TRUE(is_caused({}, true, 1'000, active));
  EXPECT_TRUE(is_caused({}, true, 999'000, active));
  EXPECT_TRUE(is_caused({}, true, 2'000 + kEchoMs, over));
  EXPECT_FALSE(is_caused({}, true, 2'001 + kEchoMs, over));
  EXPECT_FALSE(is_caused({}, false, 1'500, over));
  EXPECT_TRUE(is_caused(TriggerChain{"b"}, false, 0, std::nullopt));
}

}  // namespace
}  // namespace drover::triggers
