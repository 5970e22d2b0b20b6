#include "tests/torture/day.h"

#include <gtest/gtest.h>
#include <signal.h>

namespace drover::tests {
namespace {

constexpr const char* kLane = "narrow";
constexpr int kLimit = 2;

}  // namespace

Day::Day(Manner manner)
    : trial({"--retain-count", "2", "--retain-every", "30ms"}), herd(trial), manner_(manner) {}

void Day::live() {
  work();
  dusk();
  night();
  morning();
}

void Day::work() {
  const Answer set = trial.ask(
      {.method = "PUT", .target = std::string("/api/lanes/") + kLane, .body = {{"limit", kLimit}}});
  EXPECT_EQ(set.status, 200) << set.text;
  // A full lane: two that hold it, one that is canceled in the queue, one that gets its turn.
  RunRequest& first = herd.submit({.lane = kLane, .limit = kLimit, .habits = "f"});
  RunRequest& second = herd.submit({.lane = kLane, .limit = kLimit, .code = 7, .habits = "f"});
  RunRequest& unlucky = herd.submit({.lane = kLane, .limit = kLimit});
  RunRequest& queued = herd.submit({.lane = kLane, .limit = kLimit, .code = 3});
  herd.cancel(unlucky);

  RunRequest& reader = herd.submit({.code = 5, .habits = "i"});
  RunRequest& stubborn = herd.submit({.habits = "df"});
  herd.submit({.ms = 40, .code = 4, .habits = "o"});  // Leaves somebody behind.
  herd.submit({.habits = "p"});                       // With the pipes in its hands.
  herd.submit({.code = 6, .habits = "l"});
  herd.submit({.launchable = false});
  herd.submit({.timeout_ms = 30, .habits = "f"});
  // One that comes again, and one that waits for that; one that is moved while it waits.
  const RunRequest& again = herd.submit({.code = 11, .retries = 2});
  herd.submit({.code = 12, .after = again.key});
  const RunRequest& moved = herd.submit({.code = 13, .after = second.key});
  herd.move(moved, "elsewhere");
  for (int i = 0; i < 4; ++i) herd.submit({.code = i, .scope = kPruned});
  for (int i = 0; manner_.much && i < 40; ++i) herd.submit({.fat = true});

  herd.wait_until_begun(stubborn);
  herd.cancel(stubborn);
  herd.wait_until_begun(reader);
  herd.signal(reader, "CONT");
  herd.end_input(reader);
  herd.release(first);
  herd.release(second);
  herd.remove(queued);
}

void Day::dusk() {
  sleeper_ = &herd.submit({.habits = "f"});
  early_ = &herd.submit({.code = 8, .habits = "f"});
  victim_ = &herd.submit({.habits = "fo"});
  for (const RunRequest* wish : {sleeper_, early_, victim_}) herd.wait_until_begun(*wish);
  stop_cradles(true);  // What is asked for now stays in the pipe.
  herd.submit({.code = 9});
  herd.submit({.later = false});
  herd.cancel(herd.submit({}));
}

void Day::night() {
  const pid_t keeper = trial.keeper_of(victim_->id);
  const std::vector<pid_t> cradles = trial.cradles();
  trial.kill_daemon();
  for (const pid_t cradle : cradles) {
    if (manner_.cradle_dies) trial.kill_cradle(cradle);
  }
  stop_cradles(false);
  trial.kill_keeper(keeper);
  herd.release(*early_);
  herd.wait_until_let_go(*early_);
}

void Day::morning() {
  trial.start_daemon();
  herd.cancel(*sleeper_);
  herd.submit({.lane = kLane, .limit = kLimit, .code = 1});
  herd.release(*victim_);  // Should it have been launched anew.
  herd.release(*sleeper_);
  herd.wait_for_all();
}

void Day::stop_cradles(bool stop) const {
  for (const pid_t cradle : trial.cradles()) ::kill(cradle, stop ? SIGSTOP : SIGCONT);
}

}  // namespace drover::tests
