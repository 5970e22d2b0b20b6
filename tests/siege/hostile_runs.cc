// Animals of the zoo as runs. Once the end of one is recorded, none of its processes lives.
#include <gtest/gtest.h>

#include <array>
#include <boost/json/array.hpp>
#include <mutex>

#include "tests/siege/attack.h"

namespace drover::siege {
namespace {

struct Guest {
  const char* animal;
  bool is_canceled = false;  // Once it is ready. Otherwise it ends by itself.
  const char* word = "";
};

constexpr auto kGuests = std::to_array<Guest>({
    {"double_fork"},
    {"daemon"},
    {"subreaper"},
    {"unmarked"},
    {"own_session", true},
    {"hidden", true},
    {"zombies", false, "50"},
    {"storm", true, "40"},
    {"hydra", true, "16"},
    {"swarm", true, "2"},
    {"swarm_stays", false, "1"},
    {"deaf_family"},
    {"stopped", true},
    {"stopped_child"},
    {"pipe_holder"},
    {"fountain"},
    {"no_descriptors"},
    {"pesters_keeper"},
    {"terminates_keeper"},
    {"kills_keeper"},
    {"kills_keeper_and_stays"},
});

void animal(Target& target, tests::SeededRandom& random) {
  static std::mutex swarms;  // One at a time: together they use up the pids of the machine.
  const Guest& guest = kGuests[static_cast<size_t>(random.below(kGuests.size()))];
  SCOPED_TRACE(guest.animal);
  std::unique_lock<std::mutex> turn(swarms, std::defer_lock);
  if (std::string_view(guest.animal).starts_with("swarm")) turn.lock();
  const std::string den = target.census.plant_den();
  const std::string id = target.submit({DROVER_BIN "/zoo_animal", guest.animal, den, guest.word});
  if (guest.is_canceled) {
    if (!target.is_ready(id, den)) return;
    (void)target.ask({.method = "POST", .target = "/api/runs/" + id + "/cancel"});
  }
  const tests::DaemonAnswer record = target.ended(id);
  EXPECT_EQ(Census::alive_in(den), std::vector<std::string>{}) << record.text;
}

constexpr auto kAll = std::to_array<Attack>({{"hostile run", animal}});

}  // namespace

std::span<const Attack> hostile_runs() {
  return kAll;
}

}  // namespace drover::siege
