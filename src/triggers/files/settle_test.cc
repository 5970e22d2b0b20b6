// A path is handed out once, after its quiet time, and nothing is lost however much happens.
#include "triggers/files/settle.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include <map>
#include <set>

namespace drover::triggers {
namespace {

class SettleTest : public ::testing::Test {
 protected:
  std::vector<std::string> take(MonoMs now) {
    std::vector<std::string> out;
    for (auto& path : settle_.take(now).paths) out.push_back(std::move(path.path));
    return out;
  }
  using Paths = std::vector<std::string>;
  Settle settle_{{.quiet_ms = 500, .paths_max = 3, .everything_ms_max = 10'000}};
};

// A file that is written slowly is handed out once, 500 ms after the last write.
TEST_F(SettleTest, WaitsUntilAFileIsWhole) {
  EXPECT_EQ(settle_.wake(), std::nullopt);
  for (MonoMs now = 0; now <= 4'000; now += 400) {
    settle_.touch("a", now);
    EXPECT_EQ(take(now), Paths{});
    EXPECT_EQ(settle_.wake(), now + 500);
  }
  EXPECT_EQ(take(4'499), Paths{});
  EXPECT_EQ(take(4'500), Paths{"a"});
  EXPECT_EQ(settle_.wake(), std::nullopt);
  EXPECT_EQ(take(9'000), Paths{});
}

// A file that is never quiet does not delay another.
TEST_F(SettleTest, PathsSettleOneByOne) {
  settle_.touch("log", 0);
  settle_.touch("a", 100);
  settle_.touch("log", 550);
  EXPECT_EQ(take(600), Paths{"a"});
  EXPECT_EQ(take(1'050), Paths{"log"});
}

// The two paths of a move settle together, even if the file is written after the move.
TEST_F(SettleTest, MovedPathsSettleTogether) {
  settle_.move("old", "new", 0);
  settle_.touch("new", 400);
  EXPECT_EQ(take(600), Paths{});
  EXPECT_EQ(take(900), (Paths{"new", "old"}));
}

// Beyond the bound there is one flag instead of paths, and it settles too.
TEST_F(SettleTest, TooManyPathsBecomeEverything) {
  for (const char* path : {"a", "b", "c", "d", "e"}) settle_.touch(path, 0);
  EXPECT_EQ(settle_.pending(), 0U);
  settle_.touch("f", 300);
  EXPECT_TRUE(settle_.take(799).empty());
  EXPECT_TRUE(settle_.take(800).everything);
  EXPECT_EQ(settle_.wake(), std::nullopt);
  settle_.touch("a", 900);
  EXPECT_EQ(take(1'400), Paths{"a"});
}

// A tree that is never quiet is compared after a bounded time.
TEST_F(SettleTest, EverythingWaitsABoundedTime) {
  settle_.touch_everything(0);
  for (MonoMs now = 0; now < 10'000; now += 100) {
    settle_.touch("a", now);
    ASSERT_TRUE(settle_.take(now).empty()) << now;
  }
  EXPECT_TRUE(settle_.take(10'000).everything);
}

// Without events, a path settles once two inspections agree; a third inspection in between changes
// nothing.
TEST_F(SettleTest, SettlesByInspections) {
  const Sighting small = FileEntry{.size = 1};
  const Sighting large = FileEntry{.size = 2};
  settle_.see("a", small, 0);
  settle_.see("a", large, 400);
  settle_.see("a", large, 800);
  EXPECT_EQ(settle_.wake(), 900);
  const auto due = settle_.take(900);
  ASSERT_EQ(due.paths.size(), 1U);
  EXPECT_EQ(due.paths[0].expected, std::optional(large));
  // An event makes what was seen before worthless.
  settle_.see("a", std::nullopt, 1'000);
  settle_.touch("a", 1'100);
  settle_.see("a", small, 1'200);
  EXPECT_EQ(settle_.take(1'600).paths.at(0).expected, std::nullopt);
}

// Whatever happens, every touched path is handed out, after its last touch and not before its quiet
// time, or is contained in a later `everything`.
RC_GTEST_PROP(SettleProperty, LosesNothing, ()) {
  Settle settle({.quiet_ms = 50, .paths_max = 5, .everything_ms_max = 200});
  std::map<std::string, MonoMs> open;
  MonoMs now = 0;
  const auto take = [&] {
    const auto due = settle.take(now);
    for (const auto& [path, expected] : due.paths) {
      RC_ASSERT(open.contains(path));
      RC_ASSERT(open.at(path) + 50 <= now);
      open.erase(path);
    }
    if (due.everything) open.clear();
    RC_ASSERT(open.empty() == !settle.wake().has_value());
    RC_ASSERT(settle.pending() <= 5U);
  };
  for (int i = 0; i < 100; ++i) {
    now += *rc::gen::inRange(0, 30);
    const auto path = [] { return std::string(1, *rc::gen::inRange('a', 'i')); };
    const std::string a = path();
    const std::string b = path();
    switch (*rc::gen::inRange(0, 4)) {
      case 0:
        settle.move(a, b, now);
        open[a] = open[b] = now;
        break;
      case 1:
        take();
        break;
      default:
        settle.touch(a, now);
        open[a] = now;
    }
  }
  while (settle.wake()) {
    now = std::max(now, *settle.wake());
    take();
  }
  RC_ASSERT(open.empty());
}

}  // namespace
}  // namespace drover::triggers
