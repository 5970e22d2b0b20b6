#include "tests/torture/herd.h"

#include <gtest/gtest.h>
#include <poll.h>
#include <sys/inotify.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <boost/json/array.hpp>
#include <chrono>

#include "base/journal.h"
#include "tests/harness.h"

namespace drover::tests {
namespace {

namespace json = boost::json;

constexpr int kAskAgainMs = 50;
constexpr std::chrono::seconds kPatience{60};  // Only ever reached by a bug.

std::string path_of(const RunRequest& wish) {
  return "/api/runs/" + wish.id;
}

bool is_active(const json::object& record) {
  const std::string state = text_of(record, "state");
  return state == "queued" || state == "starting" || state == "running";
}

}  // namespace

RunRequest& Herd::plan(RunRequest wish) {
  const std::lock_guard lock(mutex_);
  wish.key = "k" + std::to_string(wishes_.size());
  if (wish.scope.empty()) wish.scope = "own/" + wish.key;
  return wishes_.emplace_back(std::move(wish));
}

RunRequest& Herd::submit_planned(RunRequest& wish) {
  const std::string program =
      wish.launchable ? std::string(DROVER_BIN) + "/torture-witness" : "/no/such/program";
  json::object labels{{"key", wish.key}};
  for (int i = 0; wish.fat && i < 60; ++i) {
    labels["label" + std::to_string(i)] = wish.key + std::string(200, 'x');
  }
  json::object body{{"command",
                     {program, trial_.witnesses(), wish.key, wish.lane, std::to_string(wish.limit),
                      std::to_string(wish.ms), std::to_string(wish.code), wish.habits}},
                    {"cwd", "/"},
                    {"lane", wish.lane},
                    {"scope", wish.scope},
                    {"labels", std::move(labels)},
                    {"grace", "20ms"},
                    {"on_restart", wish.later ? "requeue" : "fail"},
                    {"stdin", wish.habits.find('i') == std::string::npos ? "none" : "pipe"}};
  if (wish.timeout_ms > 0) body["timeout"] = std::to_string(wish.timeout_ms) + "ms";
  if (wish.retries > 0) body["retry"] = {{"max", wish.retries}, {"backoff", "2ms"}};
  if (!wish.after.empty()) {
    const std::lock_guard lock(mutex_);
    const auto other = std::ranges::find(wishes_, wish.after, &RunRequest::key);
    body["after_any"] = json::array{other->id};
  }
  const Answer answer = trial_.ask(
      {.method = "POST", .target = "/api/runs", .body = std::move(body), .key = wish.key});
  if (answer.status == 202) {
    const std::string id = text_of(answer.body, "run_id");
    EXPECT_TRUE(wish.id.empty() || wish.id == id) << wish.key << " has two ids";
    wish.id = id;
  } else {
    // Taken, ended and pruned before its asker got an answer: the judge looks for it by its key.
    EXPECT_NE(answer.text.find("has been deleted"), std::string::npos) << answer.text;
    EXPECT_EQ(wish.scope, kPruned);
  }
  return wish;
}

void Herd::cancel(RunRequest& wish) {
  wish.cancel_asked = true;
  const Answer answer = trial_.ask({.method = "POST", .target = path_of(wish) + "/cancel"});
  EXPECT_TRUE(answer.status == 200 || answer.status == 202) << answer.text;
}

void Herd::move(const RunRequest& wish, const std::string& lane) {
  const Answer answer =
      trial_.ask({.method = "POST", .target = path_of(wish) + "/move", .body = {{"lane", lane}}});
  EXPECT_TRUE(answer.status == 200 || answer.status == 409) << answer.text;
}

void Herd::remove(RunRequest& wish) {
  wait_for_end(wish);
  wish.removal_asked = true;
  const Answer answer = trial_.ask({.method = "DELETE", .target = path_of(wish)});
  // Not found: it had been done when the daemon died before it said so.
  EXPECT_TRUE(answer.status == 200 || answer.status == 404) << answer.text;
}

void Herd::end_input(RunRequest& wish) {
  (void)trial_.ask(
      {.method = "POST", .target = path_of(wish) + "/input?eof=true", .bytes = "some\n"});
}

void Herd::signal(const RunRequest& wish, const std::string& name) {
  (void)trial_.ask(
      {.method = "POST", .target = path_of(wish) + "/signal", .body = {{"signal", name}}});
}

void Herd::release(const RunRequest& wish) const {
  EXPECT_TRUE(replace_file(trial_.witnesses() + "/" + wish.key + ".go", ""));
}

void Herd::wait_for_end(const RunRequest& wish) {
  using std::chrono::steady_clock;
  const auto deadline = steady_clock::now() + kPatience;
  while (true) {
    const Answer answer =
        trial_.ask({.method = "GET", .target = path_of(wish) + "?wait=30s&final=true"});
    if (answer.status == 404) return;
    ASSERT_EQ(answer.status, 200) << answer.text;
    if (!is_active(answer.body)) return;
    // Whoever waits when a daemon is stopped gets an answer before the end.
    ASSERT_LT(steady_clock::now(), deadline) << wish.key << " does not end: " << answer.text << "\n"
                                             << trial_.daemon_log();
  }
}

void Herd::wait_for_all() {
  for (const RunRequest& wish : wishes_) {
    if (!wish.id.empty()) wait_for_end(wish);
  }
}

std::string Herd::lines_of(const RunRequest& wish) const {
  const auto text = read_file(trial_.witnesses() + "/" + wish.key, 64 * 1024);
  return text ? *text : "";
}

bool Herd::is_begun(const RunRequest& wish) const {
  return !lines_of(wish).empty();
}

// A dead daemon would never begin it: it is asked now and then, which brings up the next one.
void Herd::wait_until_begun(const RunRequest& wish) {
  const Fd watch(::inotify_init1(IN_CLOEXEC));
  ::inotify_add_watch(watch.get(), trial_.witnesses().c_str(), IN_CREATE | IN_MODIFY);
  char buffer[4096];
  while (!is_begun(wish)) {
    const Answer answer = trial_.ask({.method = "GET", .target = path_of(wish)});
    if (answer.status != 200 || !is_active(answer.body)) return;
    pollfd poll{.fd = watch.get(), .events = POLLIN, .revents = 0};
    if (::poll(&poll, 1, kAskAgainMs) == 1) (void)!::read(watch.get(), buffer, sizeof buffer);
  }
}

void Herd::wait_until_let_go(const RunRequest& wish) const {
  const std::string file = trial_.home().runs() + "/" + wish.id + ".run";
  while (true) {
    const auto probe = probe_journal(file);
    if (!probe || probe->liveness != Liveness::alive) return;
    const pid_t keeper = probe->text.identity ? probe->text.identity->keeper.pid : 0;
    const Fd pidfd(static_cast<int>(::syscall(SYS_pidfd_open, keeper, 0)));
    pollfd poll{.fd = pidfd.get(), .events = POLLIN, .revents = 0};
    ::poll(&poll, 1, kAskAgainMs);  // It may live on, for others.
  }
}

}  // namespace drover::tests
