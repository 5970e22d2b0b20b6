// Kills at random times, under load. One seed gives one sequence of decisions: which requests, and
// which programs die where and when. The kernel's scheduling still differs, so a replay is similar,
// not identical.
#include <gtest/gtest.h>
#include <signal.h>

#include <chrono>
#include <cstdlib>
#include <thread>

#include "tests/seeded_random.h"
#include "tests/torture/judge.h"

namespace drover::tests {
namespace {

constexpr std::uint64_t kSeed = 1;
constexpr int kRounds = 20;
constexpr int kAskers = 4;
constexpr int kRequests = 10;  // Of each.
constexpr int kBlows = 16;

std::uint64_t setting(const char* name, std::uint64_t otherwise) {
  const char* text = std::getenv(name);
  return text == nullptr ? otherwise : std::strtoull(text, nullptr, 10);
}

RunRequest any_request(SeededRandom& random) {
  RunRequest request{.ms = random.below(30), .code = random.below(5)};
  if (random.chance(60)) {
    request.lane = "narrow";
    request.limit = 2;
  }
  request.habits = std::to_array<const char*>(
      {"", "", "", "", "o", "l", "d"})[static_cast<size_t>(random.below(7))];
  if (random.chance(15)) request.timeout_ms = 1 + random.below(30);
  request.launchable = !random.chance(5);
  request.later = !random.chance(10);
  if (random.chance(10)) request.scope = kPruned;
  return request;
}

void ask_around(Herd& herd, std::uint64_t seed) {
  SeededRandom random(seed);
  for (int i = 0; i < kRequests; ++i) {
    RunRequest& request = herd.submit(any_request(random));
    const int then = random.below(100);
    if (request.id.empty() || request.scope == kPruned) continue;
    if (then < 25) herd.cancel(request);
    if (then >= 25 && then < 35) herd.remove(request);
    if (then >= 35 && then < 50) herd.wait_for_end(request);
  }
}

// Kills one program after another. The pauses wait for nothing: they make the times random.
void strike(TorturedHome& tortured, std::uint64_t seed) {
  SeededRandom random(seed);
  const auto any = [&](const std::vector<pid_t>& pids, int pick) {
    return pids.empty() ? 0 : pids[static_cast<size_t>(pick) % pids.size()];
  };
  pid_t stopped = 0;
  for (int i = 0; i < kBlows; ++i) {
    const int kind = random.below(100);
    const int pick = random.below(1'000'000);
    std::this_thread::sleep_for(std::chrono::microseconds(random.below(40'000)));
    if (stopped != 0) ::kill(std::exchange(stopped, 0), SIGCONT);
    if (kind < 30) {
      tortured.strike_daemon();
    } else if (kind < 45) {
      tortured.kill_keeper(any(tortured.keepers(), pick));
    } else if (kind < 53) {
      tortured.kill_cradle(any(tortured.cradles(), pick));
    } else if (kind < 56) {  // A clean stop, for once.
      (void)ask_once(tortured.home().socket(), {.method = "POST", .target = "/api/stop"});
    } else if (kind < 62) {
      stopped = any(tortured.cradles(), pick);
      if (stopped != 0) ::kill(stopped, SIGSTOP);
    } else {
      const auto point = static_cast<size_t>(pick) % kCrashPoints.size();
      tortured.board.arm(kCrashPoints[point], static_cast<std::uint32_t>(1 + pick % 5));
    }
  }
  if (stopped != 0) ::kill(stopped, SIGCONT);
}

void storm(std::uint64_t seed) {
  TorturedHome tortured({"--retain-count", "2", "--retain-every", "30ms"});
  Herd herd(tortured);
  SeededRandom random(seed);
  (void)tortured.ask({.method = "PUT", .target = "/api/lanes/narrow", .body = {{"limit", 2}}});
  {
    std::vector<std::jthread> threads;
    for (int i = 0; i < kAskers; ++i) {
      threads.emplace_back([&herd, own = random.seed()] { ask_around(herd, own); });
    }
    threads.emplace_back([&tortured, own = random.seed()] { strike(tortured, own); });
  }
  judge(herd);
}

// H1, H7, H10, R4, R7, R15, R16: any program dies at any time, under load.
TEST(Storm, AtRandomMoments) {
  const std::uint64_t seed = setting("DROVER_TORTURE_SEED", kSeed);
  const std::uint64_t rounds = setting("DROVER_TORTURE_ROUNDS", kRounds);
  for (std::uint64_t round = 0; round < rounds; ++round) {
    storm(seed + round);
    ASSERT_FALSE(HasFailure()) << "this was ./dev torture --rounds 1 --seed " << seed + round;
  }
}

}  // namespace
}  // namespace drover::tests
