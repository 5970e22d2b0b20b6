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

std::string path_of(const RunRequest& request) {
  return "/api/runs/" + request.id;
}

bool is_active(const json::object& record) {
  const std::string state = text_of(record, "state");
  return state == "queued" || state == "starting" || state == "running";
}

}  // namespace

RunRequest& Herd::plan(RunRequest request) {
  const std::lock_guard lock(mutex_);
  request.key = "k" + std::to_string(requests_.size());
  if (request.scope.empty()) request.scope = "own/" + request.key;
  return requests_.emplace_back(std::move(request));
}

RunRequest& Herd::submit_planned(RunRequest& request) {
  const std::string program =
      request.launchable ? std::string(DROVER_BIN) + "/torture-witness" : "/no/such/program";
  json::object labels{{"key", request.key}};
  for (int i = 0; request.fat && i < 60; ++i) {
    labels["label" + std::to_string(i)] = request.key + std::string(200, 'x');
  }
  json::object body{
      {"command",
       {program, tortured_.witnesses(), request.key, request.lane, std::to_string(request.limit),
        std::to_string(request.ms), std::to_string(request.code), request.habits}},
      {"cwd", "/"},
      {"lane", request.lane},
      {"scope", request.scope},
      {"labels", std::move(labels)},
      {"grace", "20ms"},
      {"on_restart", request.later ? "requeue" : "fail"},
      {"stdin", request.habits.find('i') == std::string::npos ? "none" : "pipe"}};
  if (request.timeout_ms > 0) body["timeout"] = std::to_string(request.timeout_ms) + "ms";
  if (request.retries > 0) body["retry"] = {{"max", request.retries}, {"backoff", "2ms"}};
  if (!request.after.empty()) {
    const std::lock_guard lock(mutex_);
    const auto other = std::ranges::find(requests_, request.after, &RunRequest::key);
    body["after_any"] = json::array{other->id};
  }
  const DaemonAnswer answer = tortured_.ask(
      {.method = "POST", .target = "/api/runs", .body = std::move(body), .key = request.key});
  if (answer.status == 202) {
    const std::string id = text_of(answer.body, "run_id");
    EXPECT_TRUE(request.id.empty() || request.id == id) << request.key << " has two ids";
    request.id = id;
  } else {
    // Accepted, finished and pruned before its caller got an answer: the judge finds it by its key.
    EXPECT_NE(answer.text.find("has been deleted"), std::string::npos) << answer.text;
    EXPECT_EQ(request.scope, kPruned);
  }
  return request;
}

void Herd::cancel(RunRequest& request) {
  request.cancel_asked = true;
  const DaemonAnswer answer =
      tortured_.ask({.method = "POST", .target = path_of(request) + "/cancel"});
  EXPECT_TRUE(answer.status == 200 || answer.status == 202) << answer.text;
}

void Herd::move(const RunRequest& request, const std::string& lane) {
  const DaemonAnswer answer = tortured_.ask(
      {.method = "POST", .target = path_of(request) + "/move", .body = {{"lane", lane}}});
  EXPECT_TRUE(answer.status == 200 || answer.status == 409) << answer.text;
}

void Herd::remove(RunRequest& request) {
  wait_for_end(request);
  request.removal_asked = true;
  const DaemonAnswer answer = tortured_.ask({.method = "DELETE", .target = path_of(request)});
  // 404: it was deleted, and the daemon died before it answered.
  EXPECT_TRUE(answer.status == 200 || answer.status == 404) << answer.text;
}

void Herd::end_input(RunRequest& request) {
  (void)tortured_.ask(
      {.method = "POST", .target = path_of(request) + "/input?eof=true", .bytes = "some\n"});
}

void Herd::signal(const RunRequest& request, const std::string& name) {
  (void)tortured_.ask(
      {.method = "POST", .target = path_of(request) + "/signal", .body = {{"signal", name}}});
}

void Herd::release(const RunRequest& request) const {
  EXPECT_TRUE(replace_file(tortured_.witnesses() + "/" + request.key + ".go", ""));
}

void Herd::wait_for_end(const RunRequest& request) {
  using std::chrono::steady_clock;
  const auto deadline = steady_clock::now() + kPatience;
  while (true) {
    const DaemonAnswer answer =
        tortured_.ask({.method = "GET", .target = path_of(request) + "?wait=30s&final=true"});
    if (answer.status == 404) return;
    ASSERT_EQ(answer.status, 200) << answer.text;
    if (!is_active(answer.body)) return;
    // A client that waits when a daemon is stopped gets an answer before the end.
    ASSERT_LT(steady_clock::now(), deadline)
        << request.key << " does not end: " << answer.text << "\n"
        << tortured_.daemon_log();
  }
}

void Herd::wait_for_all() {
  for (const RunRequest& request : requests_) {
    if (!request.id.empty()) wait_for_end(request);
  }
}

std::string Herd::lines_of(const RunRequest& request) const {
  const auto text = read_file(tortured_.witnesses() + "/" + request.key, 64 * 1024);
  return text ? *text : "";
}

bool Herd::is_begun(const RunRequest& request) const {
  return !lines_of(request).empty();
}

// A dead daemon would never start it: asking from time to time starts the next one.
void Herd::wait_until_begun(const RunRequest& request) {
  const Fd watch(::inotify_init1(IN_CLOEXEC));
  ::inotify_add_watch(watch.get(), tortured_.witnesses().c_str(), IN_CREATE | IN_MODIFY);
  char buffer[4096];
  while (!is_begun(request)) {
    const DaemonAnswer answer = tortured_.ask({.method = "GET", .target = path_of(request)});
    if (answer.status != 200 || !is_active(answer.body)) return;
    pollfd poll{.fd = watch.get(), .events = POLLIN, .revents = 0};
    if (::poll(&poll, 1, kAskAgainMs) == 1) (void)!::read(watch.get(), buffer, sizeof buffer);
  }
}

void Herd::wait_until_let_go(const RunRequest& request) const {
  const std::string file = tortured_.home().runs() + "/" + request.id + ".run";
  while (true) {
    const auto journal = read_journal_state(file);
    if (!journal || journal->liveness != Liveness::alive) return;
    const pid_t keeper = journal->text.identity ? journal->text.identity->keeper.pid : 0;
    const Fd pidfd(static_cast<int>(::syscall(SYS_pidfd_open, keeper, 0)));
    pollfd poll{.fd = pidfd.get(), .events = POLLIN, .revents = 0};
    ::poll(&poll, 1, kAskAgainMs);  // The keeper may live on, for other runs.
  }
}

}  // namespace drover::tests
