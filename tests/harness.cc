#include "tests/harness.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <signal.h>
#include <sys/inotify.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <boost/json/parse.hpp>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <iostream>

#include "base/journal.h"

namespace drover::tests {
namespace {

constexpr int kPatienceMs = 60'000;  // Only ever reached by a bug.
// A pid that does not exist: kill(0) would kill the tests themselves.
constexpr pid_t kNobody = 0x7fffffff;
constexpr size_t kLogBytes = 8'000;

// A swarm of another suite may have used up the pids of the machine for a moment. Never returns -1:
// as a pid, it would mean every process there is.
pid_t fork_patiently() {
  for (int waited_ms = 0; waited_ms < kPatienceMs; waited_ms += 10) {
    const pid_t pid = ::fork();
    if (pid >= 0) return pid;
    ::poll(nullptr, 0, 10);
  }
  std::perror("the harness cannot fork");
  std::abort();
}

std::string command_line(const std::vector<std::string>& words) {
  std::string line = "drover";
  for (const std::string& word : words) line += ' ' + word;
  return line + '\n';
}

std::string last_bytes_of(const std::string& path) {
  const std::string text = read_file(path, 64 * 1024 * 1024).value_or("");
  return text.substr(text.size() - std::min(text.size(), kLogBytes));
}

}  // namespace

Fd open_pid(pid_t pid) {
  return Fd(static_cast<int>(::syscall(SYS_pidfd_open, pid, 0)));
}

void wait_gone(const Fd& pidfd) {
  pollfd poll{.fd = pidfd.get(), .events = POLLIN, .revents = 0};
  EXPECT_EQ(::poll(&poll, 1, kPatienceMs), 1) << "the process does not exit";
}

Started::Started(const std::vector<std::string>& argv,
                 const std::map<std::string, std::string>& extra_env, const std::string& input,
                 const std::string& cwd) {
  int in[2], out[2], err[2];
  if (::pipe2(in, O_CLOEXEC) != 0 || ::pipe2(out, O_CLOEXEC) != 0 || ::pipe2(err, O_CLOEXEC) != 0) {
    std::abort();
  }
  pid_ = fork_patiently();
  if (pid_ == 0) {
    ::dup2(in[0], 0);
    ::dup2(out[1], 1);
    ::dup2(err[1], 2);
    if (!cwd.empty() && ::chdir(cwd.c_str()) != 0) ::_exit(99);
    for (const char* name : {"DROVER_RUN_ID", "DROVER_TOKEN", "NO_COLOR", "XDG_RUNTIME_DIR"}) {
      ::unsetenv(name);
    }
    ::signal(SIGINT, SIG_DFL);  // Scripts start background processes with it ignored.
    for (const auto& [name, value] : extra_env) ::setenv(name.c_str(), value.c_str(), 1);
    std::vector<char*> pointers;
    for (const std::string& word : argv) pointers.push_back(const_cast<char*>(word.c_str()));
    pointers.push_back(nullptr);
    ::execv(pointers[0], pointers.data());
    ::_exit(98);
  }
  ::close(in[0]);
  ::close(out[1]);
  ::close(err[1]);
  out_ = Fd(out[0]);
  err_ = Fd(err[0]);
  const Fd in_end(in[1]);
  ::signal(SIGPIPE, SIG_IGN);
  (void)write_all(in_end.get(), input);  // Tests send less than a pipe's capacity.
}

Started::~Started() {
  if (finished_) return;
  ::kill(pid_, SIGKILL);
  ::waitpid(pid_, nullptr, 0);
}

void Started::signal(int number) const {
  ::kill(pid_, number);
}

bool Started::read_some() {
  pollfd polls[2] = {{.fd = out_ ? out_.get() : -1, .events = POLLIN, .revents = 0},
                     {.fd = err_ ? err_.get() : -1, .events = POLLIN, .revents = 0}};
  if (!out_ && !err_) return false;
  if (::poll(polls, 2, kPatienceMs) <= 0) {
    ADD_FAILURE() << "timed out; stdout: " << output_.out << " stderr: " << output_.err;
    ::kill(pid_, SIGKILL);
    return false;
  }
  char buffer[65536];
  for (const auto& [pipe, text, ready] : {std::tuple(&out_, &output_.out, polls[0].revents),
                                          {&err_, &output_.err, polls[1].revents}}) {
    if (ready == 0) continue;
    const ssize_t n = ::read(pipe->get(), buffer, sizeof buffer);
    if (n > 0) text->append(buffer, static_cast<size_t>(n));
    if (n == 0) pipe->close();
  }
  return true;
}

void Started::wait_for(const std::string& text) {
  while (output_.out.find(text) == std::string::npos) {
    ASSERT_TRUE(read_some()) << "it exited without printing " << text << "; " << output_.err;
  }
}

void Started::wait_for_error(const std::string& text) {
  while (output_.err.find(text) == std::string::npos) {
    ASSERT_TRUE(read_some()) << "it exited without printing to stderr: " << text;
  }
}

Output Started::finish() {
  while (read_some()) {
  }
  int status = 0;
  ::waitpid(pid_, &status, 0);
  finished_ = true;
  output_.code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  return output_;
}

Flock::Flock() {
  char name[] = "/tmp/drover-flock-XXXXXX";
  root_ = ::mkdtemp(name);
  home_ = {root_ + "/home/config", root_ + "/home/state", root_ + "/home/run"};
  environment["DROVER_HOME"] = root_ + "/home";
}

Flock::~Flock() {
  // Ends everything that the test left running.
  if (std::filesystem::exists(home_.socket())) (void)drover({"stop", "--kill", "--no-start"});
  EXPECT_TRUE(alive().empty()) << "a process was left behind";
  if (::testing::Test::HasFailure()) {
    std::cerr << "the end of the daemon's log:\n" << last_bytes_of(home_.log()) << '\n';
  }
  for (const process::Member& member : alive()) ::kill(member.ref.pid, SIGKILL);
  (void)remove_tree(root_);
}

std::unique_ptr<Started> Flock::start(const std::vector<std::string>& words,
                                      const std::string& input) {
  std::vector<std::string> argv{programs + "/drover"};
  argv.insert(argv.end(), words.begin(), words.end());
  return std::make_unique<Started>(argv, environment, input, root_);
}

Output Flock::drover(const std::vector<std::string>& words, const std::string& input) {
  return start(words, input)->finish();
}

Output Flock::droverd(const std::vector<std::string>& words) {
  std::vector<std::string> argv{programs + "/droverd"};
  argv.insert(argv.end(), words.begin(), words.end());
  return Started(argv, environment, "", root_).finish();
}

std::string Flock::ok(const std::vector<std::string>& words, const std::string& input) {
  Output output = drover(words, input);
  EXPECT_EQ(output.code, 0) << command_line(words) << output.err;
  if (output.out.ends_with('\n')) output.out.pop_back();
  return output.out;
}

boost::json::object Flock::json(std::vector<std::string> words) {
  words.push_back("--json");
  const Output output = drover(words);
  boost::system::error_code bad;
  const boost::json::value value = boost::json::parse(output.out, bad);
  EXPECT_TRUE(!bad && value.is_object())
      << command_line(words) << "exit code " << output.code << '\n'
      << output.out << output.err;
  return value.is_object() ? value.get_object() : boost::json::object{};
}

std::string Flock::run(const std::string& script, const std::vector<std::string>& options) {
  std::vector<std::string> words{"run", "-d"};
  words.insert(words.end(), options.begin(), options.end());
  for (const char* word : {"--", "/bin/sh", "-c"}) words.emplace_back(word);
  words.push_back(script);
  return ok(words);
}

boost::json::object Flock::ended(const std::string& id) {
  (void)drover({"wait", id});
  return show(id);
}

void Flock::wait_for_state(const std::string& id, const std::string& state) {
  wait_for_state_event(id, state == "running" ? "run.started" : "run." + state);
}

void Flock::wait_for_state_event(const std::string& id, const std::string& type) {
  const Fd fd = connect();
  ASSERT_TRUE(write_all(
      fd.get(), "GET /api/runs/" + id + "/events?follow=true&after=0 HTTP/1.1\r\nHost: d\r\n\r\n"));
  std::string seen;
  char buffer[8192];
  while (seen.find("event: " + type + "\n") == std::string::npos) {
    pollfd poll{.fd = fd.get(), .events = POLLIN, .revents = 0};
    ASSERT_EQ(::poll(&poll, 1, kPatienceMs), 1) << type << " never came";
    const ssize_t n = ::read(fd.get(), buffer, sizeof buffer);
    ASSERT_GT(n, 0) << type << " never came: " << seen;
    seen.append(buffer, static_cast<size_t>(n));
  }
}

Fd Flock::connect() const {
  Fd fd(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  std::memcpy(address.sun_path, home_.socket().data(), home_.socket().size());
  EXPECT_EQ(::connect(fd.get(), reinterpret_cast<sockaddr*>(&address), sizeof address), 0);
  return fd;
}

std::string Flock::http(const std::string& request) {
  const Fd fd = connect();
  EXPECT_TRUE(write_all(fd.get(), request));
  std::string answer;
  char buffer[8192];
  for (ssize_t n = 0; (n = ::read(fd.get(), buffer, sizeof buffer)) > 0;) {
    answer.append(buffer, static_cast<size_t>(n));
  }
  return answer;
}

pid_t Flock::daemon() {
  return static_cast<pid_t>(json({"status"})["pid"].to_number<int>());
}

pid_t cradle_of(pid_t daemon) {
  process::Member cradle{};
  for (const process::Member& member : process::descendants(daemon)) {
    if (member.stat.parent != daemon || member.stat.session != member.ref.pid) continue;
    if (std::string_view(member.stat.name) != "drover-keeper") continue;
    if (member.ref.start_ticks >= cradle.ref.start_ticks) cradle = member;
  }
  return cradle.ref.pid;
}

pid_t Flock::cradle() {
  const pid_t cradle = cradle_of(daemon());
  EXPECT_GT(cradle, 0) << "there is no cradle";
  return cradle > 0 ? cradle : kNobody;
}

pid_t Flock::keeper_of(const std::string& id) {
  const auto journal = read_journal_state(home_.runs() + "/" + id + ".run");
  EXPECT_TRUE(journal && journal->text.identity);
  const bool known = journal && journal->text.identity && journal->text.identity->keeper.pid > 0;
  return known ? journal->text.identity->keeper.pid : kNobody;
}

void Flock::wait_for_keeper(const std::string& id) {
  const std::string file = home_.runs() + "/" + id + ".run";
  for (auto journal = read_journal_state(file); journal && journal->liveness == Liveness::alive;
       journal = read_journal_state(file)) {
    if (const Fd keeper = open_pid(keeper_of(id)); keeper) wait_gone(keeper);
  }
}

void Flock::kill_daemon() {
  const pid_t pid = daemon();
  const Fd pidfd = open_pid(pid);
  ASSERT_EQ(::kill(pid, SIGKILL), 0);
  wait_gone(pidfd);
}

std::vector<process::Member> Flock::alive() const {
  std::vector<process::Member> mine;
  for (auto& [member, id] : process::marked_by_name("DROVER_RUN_ID")) {
    if (std::filesystem::exists(home_.runs() + "/" + id + ".run")) mine.push_back(member);
  }
  return mine;
}

void Flock::expect_verified() {
  const Output report = drover({"doctor", "--verify"});
  EXPECT_EQ(report.code, 0) << report.out << report.err;
}

void Flock::touch(const std::string& name) const {
  ASSERT_TRUE(replace_file(file(name), ""));
}

void Flock::wait_for_file(const std::string& name) const {
  const Fd watch(::inotify_init1(IN_CLOEXEC));
  const std::string directory = std::filesystem::path(file(name)).parent_path();
  ::inotify_add_watch(watch.get(), directory.c_str(), IN_CREATE | IN_MOVED_TO);
  char buffer[4096];
  while (!std::filesystem::exists(file(name))) {
    pollfd poll{.fd = watch.get(), .events = POLLIN, .revents = 0};
    ASSERT_EQ(::poll(&poll, 1, kPatienceMs), 1) << name << " does not appear";
    (void)!::read(watch.get(), buffer, sizeof buffer);
  }
}

std::string Flock::note_pid(const std::string& name) const {
  return "echo $$ > " + file(name) + ".new; mv " + file(name) + ".new " + file(name) + "; ";
}

pid_t Flock::noted_pid(const std::string& name) const {
  wait_for_file(name);
  return std::stoi(read_file(file(name), 64).value());
}

std::string text_of(const boost::json::object& object, const std::string& key) {
  const boost::json::value* value = object.if_contains(key);
  return value != nullptr && value->is_string() ? std::string(value->get_string()) : "";
}

std::string until_file(const std::string& path) {
  return "while ! [ -e " + path + " ]; do sleep 0.01; done; ";
}

}  // namespace drover::tests
