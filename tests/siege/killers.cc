// kill -9 of the daemon, the cradle, or the keeper of an own run.
#include <gtest/gtest.h>
#include <signal.h>

#include <array>
#include <boost/json/array.hpp>

#include "tests/siege/attack.h"

namespace drover::siege {
namespace {

void kill_daemon(Target& target, tests::SeededRandom& random) {
  target.killed_delays.add(target.loop_delays());
  const Fd process = tests::open_pid(target.daemon());
  EXPECT_EQ(::kill(target.daemon(), SIGKILL), 0);
  tests::wait_gone(process);
  pause_ms(random.below(100));
  target.start_daemon();
}

void kill_cradle(Target& target, tests::SeededRandom&) {
  const pid_t cradle = target.cradle();
  if (cradle > 0) ::kill(cradle, SIGKILL);
  const tests::DaemonAnswer record = target.ended(target.submit({"/bin/sh", "-c", "exit 4"}));
  if (!lacked_space(record)) EXPECT_EQ(record.body.at("exit_code"), 4) << record.text;
}

void kill_keeper(Target& target, tests::SeededRandom& random) {
  const std::string den = target.census.plant_den();
  const std::string id = target.submit({DROVER_BIN "/zoo_animal", "own_session", den});
  if (!target.is_ready(id, den)) return;
  pause_ms(random.below(20));
  EXPECT_EQ(::kill(target.flock.keeper_of(id), SIGKILL), 0);
  const tests::DaemonAnswer record = target.ended(id);
  EXPECT_EQ(tests::text_of(record.body, "reason"), "keeper_lost") << record.text;
  EXPECT_EQ(Census::alive_in(den), std::vector<std::string>{}) << record.text;
}

constexpr auto kAll = std::to_array<Attack>({
    {"killed daemon", kill_daemon, true, true},
    {"killed cradle", kill_cradle},
    {"killed keeper", kill_keeper},
});

}  // namespace

std::span<const Attack> killers() {
  return kAll;
}

}  // namespace drover::siege
