// Whole months with 200 triggers, made by seeds (world_fixture.h), against the oracle.
//
// DROVER_WORLD_ROUNDS is the number of months, DROVER_WORLD_SEED the seed of the first one; a
// failure prints its own seed.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <iterator>

#include "triggers/month/oracle_fixture.h"
#include "triggers/month/world_fixture.h"

namespace drover::triggers::month {
namespace {

std::uint64_t setting(const char* name, std::uint64_t otherwise) {
  const char* text = std::getenv(name);
  return text == nullptr ? otherwise : static_cast<std::uint64_t>(std::atoll(text));
}

// The result of a month: its problems and its ledger.
struct Lived {
  Problems problems;
  std::multiset<std::string> ledger;
};

Lived live(std::uint64_t seed) {
  World world(seed);
  world.live();
  std::vector<std::string> names;
  for (const PlannedTrigger& one : world.plan().triggers) names.push_back(one.name);
  const History history = read_history(world.store(), names, world.edits());
  Lived out{.problems = world.problems(), .ledger = digest(history)};
  for (std::string& problem : check_month({.plan = world.plan(),
                                           .outside = world.outside(),
                                           .history = history,
                                           .decided_until = world.decided_until(),
                                           .fired_by_hand = world.fired_by_hand()})) {
    out.problems.push_back(std::move(problem));
  }
  return out;
}

// Whatever happens to the disk, the daemon, the clock and the runs, the ledger accounts for every
// due time and every event once, as the spec says, and each occurrence that fired has one run.
TEST(Month, IsAccountedFor) {
  const std::uint64_t seed = setting("DROVER_WORLD_SEED", 1);
  const std::uint64_t rounds = setting("DROVER_WORLD_ROUNDS", 1);
  for (std::uint64_t round = seed; round < seed + rounds; ++round) {
    const Lived lived = live(round);
    for (const std::string& problem : lived.problems) ADD_FAILURE() << problem;
    ASSERT_FALSE(HasFailure()) << "this was ./dev torture --world --rounds 1 --seed " << round;
  }
}

// A sanitizer makes months too long for two of them.
#if !__has_feature(address_sanitizer) && !__has_feature(thread_sanitizer)
// An even seed gives one ledger, whatever the threads of the store do first.
TEST(Month, IsRepeatable) {
  const std::uint64_t seed = setting("DROVER_WORLD_SEED", 2);
  const Lived once = live(seed);
  EXPECT_EQ(once.problems, Problems());
  const Lived again = live(seed);
  Problems differences;
  std::ranges::set_symmetric_difference(once.ledger, again.ledger, std::back_inserter(differences));
  EXPECT_EQ(differences, Problems());
}
#endif

}  // namespace
}  // namespace drover::triggers::month
