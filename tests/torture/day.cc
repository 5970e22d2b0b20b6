#include "tests/torture/day.h"

#include <gtest/gtest.h>
#include <signal.h>

namespace drover::tests {
namespace {

constexpr const char* kLane = "narrow";
constexpr int kLimit = 2;

}  // namespace

Day::Day(DayOptions options)
    : tortured({"--retain-count", "2", "--retain-every", "30ms"}),
      herd(tortured),
      options_(options) {}

void Day::live() {
  work();
  dusk();
  night();
  morning();
}

void Day::work() {
  const DaemonAnswer set = tortured.ask(
      {.method = "PUT", .target = std::string("/api/lanes/") + kLane, .body = {{"limit", kLimit}}});
  EXPECT_EQ(set.status, 200) << set.text;
  // A full lane: two runs hold it, one is canceled in the queue, one gets its turn.
  RunRequest& first = herd.submit({.lane = kLane, .limit = kLimit, .habits = "f"});
  RunRequest& second = herd.submit({.lane = kLane, .limit = kLimit, .code = 7, .habits = "f"});
  RunRequest& unlucky = herd.submit({.lane = kLane, .limit = kLimit});
  RunRequest& queued = herd.submit({.lane = kLane, .limit = kLimit, .code = 3});
  herd.cancel(unlucky);

  RunRequest& reader = herd.submit({.code = 5, .habits = "i"});
  RunRequest& stubborn = herd.submit({.habits = "df"});
  herd.submit({.ms = 40, .code = 4, .habits = "o"});  // Leaves a process behind.
  herd.submit({.habits = "p"});                       // The same, holding the pipes.
  herd.submit({.code = 6, .habits = "l"});
  herd.submit({.launchable = false});
  herd.submit({.timeout_ms = 30, .habits = "f"});
  // One run that is retried, and one that depends on it; one that is moved while it is queued.
  const RunRequest& again = herd.submit({.code = 11, .retries = 2});
  herd.submit({.code = 12, .after = again.key});
  const RunRequest& moved = herd.submit({.code = 13, .after = second.key});
  herd.move(moved, "elsewhere");
  for (int i = 0; i < 4; ++i) herd.submit({.code = i, .scope = kPruned});
  for (int i = 0; options_.much && i < 40; ++i) herd.submit({.fat = true});

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
  for (const RunRequest* request : {sleeper_, early_, victim_}) herd.wait_until_begun(*request);
  stop_cradles(true);  // Launch requests stay in the pipe from now on.
  herd.submit({.code = 9});
  herd.submit({.later = false});
  herd.cancel(herd.submit({}));
}

void Day::night() {
  const pid_t keeper = tortured.keeper_of(victim_->id);
  const std::vector<pid_t> cradles = tortured.cradles();
  tortured.kill_daemon();
  for (const pid_t cradle : cradles) {
    if (options_.cradle_dies) tortured.kill_cradle(cradle);
  }
  stop_cradles(false);
  tortured.kill_keeper(keeper);
  herd.release(*early_);
  herd.wait_until_let_go(*early_);
}

void Day::morning() {
  tortured.start_daemon();
  herd.cancel(*sleeper_);
  herd.submit({.lane = kLane, .limit = kLimit, .code = 1});
  herd.release(*victim_);  // In case it was launched again.
  herd.release(*sleeper_);
  herd.wait_for_all();
}

void Day::stop_cradles(bool stop) const {
  for (const pid_t cradle : tortured.cradles()) ::kill(cradle, stop ? SIGSTOP : SIGCONT);
}

}  // namespace drover::tests
