// A keeper is stopped, once or again and again, and its run canceled; the cradle is stopped, and a
// run submitted.
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <boost/json/array.hpp>
#include <thread>

#include "tests/siege/attack.h"

namespace drover::siege {
namespace {

void stop_keeper(Target& target, tests::SeededRandom& random) {
  const std::string den = target.census.plant_den();
  const std::string id = target.submit({DROVER_BIN "/zoo_animal", "own_session", den});
  if (!target.is_ready(id, den)) return;
  EXPECT_EQ(::kill(target.flock.keeper_of(id), SIGSTOP), 0);
  pause_ms(random.below(50));
  (void)target.ask(
      {.method = "POST", .target = "/api/runs/" + id + "/cancel", .body = {{"grace", "0ms"}}});
  const tests::DaemonAnswer record = target.ended(id);
  EXPECT_EQ(tests::text_of(record.body, "state"), "canceled") << record.text;
  EXPECT_EQ(Census::alive_in(den), std::vector<std::string>{}) << record.text;
}

// A jailer stops the keeper again whenever somebody continues it.
void jail_keeper(Target& target, tests::SeededRandom& random) {
  const std::string den = target.census.plant_den();
  const std::string id = target.submit({DROVER_BIN "/zoo_animal", "own_session", den});
  if (!target.is_ready(id, den)) return;
  const Fd keeper = tests::open_pid(target.flock.keeper_of(id));
  const int pause = random.below(3);
  const std::jthread jailer([&] {
    while (::syscall(SYS_pidfd_send_signal, keeper.get(), SIGSTOP, nullptr, 0) == 0) {
      pause_ms(pause);
    }
  });
  pause_ms(random.below(50));
  (void)target.ask(
      {.method = "POST", .target = "/api/runs/" + id + "/cancel", .body = {{"grace", "0ms"}}});
  const tests::DaemonAnswer record = target.ended(id);
  EXPECT_EQ(record.body.at("cancel_requested"), true) << record.text;
  EXPECT_EQ(Census::alive_in(den), std::vector<std::string>{}) << record.text;
}

void stop_cradle(Target& target, tests::SeededRandom&) {
  const pid_t cradle = target.cradle();
  if (cradle > 0) ::kill(cradle, SIGSTOP);
  const tests::DaemonAnswer record = target.ended(target.submit({"/bin/sh", "-c", "exit 3"}));
  EXPECT_EQ(record.body.at("exit_code"), 3) << record.text;
}

constexpr auto kAll = std::to_array<Attack>({
    {"stopped keeper", stop_keeper},
    {.name = "jailed keeper", .strike = jail_keeper, .takes_long = true},
    {"stopped cradle", stop_cradle, true},
});

}  // namespace

std::span<const Attack> stoppers() {
  return kAll;
}

}  // namespace drover::siege
