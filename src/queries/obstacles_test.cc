#include "queries/obstacles.h"

#include <gtest/gtest.h>

namespace drover::queries {
namespace {

const RunId kOther = *RunId::parse("run_01hf7yat00000000000000000b");

run::Record queued() {
  run::Record r;
  r.lane = "build";
  r.queued_at = 1'000;
  return r;
}
QueueContext free_lane() {
  QueueContext around;
  around.lane = {.name = "build", .limit = 2, .active = 1};
  around.ahead = 0;
  around.now = 5'000;
  return around;
}
std::string kinds(const std::vector<Obstacle>& all) {
  std::string out;
  for (const Obstacle& one : all) out += one.kind + " ";
  return out;
}

// R16, R17: every obstacle of a queued run is named, all of them at once. A run without obstacles
// has an empty list.
TEST(Obstacles, NamesEveryObstacle) {
  EXPECT_EQ(kinds(obstacles(queued(), free_lane())), "");
  run::Record r = queued();
  r.not_before = 9'000;
  QueueContext around = free_lane();
  around.lane.active = 2;
  around.lane.paused_at = 3'000;
  around.ahead = 3;
  around.slot_holders = {kOther};
  around.dependencies = {{.id = kOther, .known = true}};
  const auto all = obstacles(r, around);
  EXPECT_EQ(kinds(all), "dependency backoff lane_paused lane_full queue ");
  EXPECT_EQ(all[0].text, kOther.str() + " must complete first");
  EXPECT_EQ(all[1].time, 9'000);
  EXPECT_EQ(all[1].text, "attempt 1 starts in 4s");
  EXPECT_EQ(all[2].time, 3'000);
  EXPECT_EQ(all[3].text, "lane build is full: 2 slots, used by 2 runs");
  EXPECT_EQ(all[3].runs, std::vector{kOther});
  EXPECT_EQ(all[4].text, "3 runs are ahead of it in lane build");
}

// A caller that cannot see every run does not learn how many others have, only that they are there.
TEST(Obstacles, HideWhatOthersHave) {
  QueueContext around = free_lane();
  around.lane.active = 2;
  around.ahead = 3;
  around.hides_others = true;
  const auto all = obstacles(queued(), around);
  EXPECT_EQ(kinds(all), "lane_full queue ");
  EXPECT_EQ(all[0].text, "lane build is full");
  EXPECT_EQ(all[1].text, "other runs are ahead of it in lane build");
}

// The time until the next attempt is rounded to what a person reads.
TEST(Obstacles, RoundsTheTimeUntilAnAttempt) {
  for (const auto& [ms, says] :
       {std::pair(350, "350ms"), std::pair(2'687, "2.7s"), std::pair(2'991, "3s"),
        std::pair(94'321, "95s"), std::pair(720'000, "12m")}) {
    run::Record r = queued();
    r.not_before = free_lane().now + ms;
    EXPECT_EQ(obstacles(r, free_lane()).front().text, "attempt 1 starts in " + std::string(says));
  }
}

// A finished dependency or a passed start time is not an obstacle, and a run that is not queued has
// none.
TEST(Obstacles, IgnoresObstaclesThatArePast) {
  QueueContext around = free_lane();
  around.dependencies = {{.id = kOther, .known = true, .end = run::State::completed}};
  run::Record r = queued();
  r.not_before = 4'000;
  EXPECT_EQ(kinds(obstacles(r, around)), "");
  r.state = run::State::running;
  around.lane.paused_at = 1;
  EXPECT_EQ(kinds(obstacles(r, around)), "");
}

}  // namespace
}  // namespace drover::queries
