#include "tests/hostile/attacked_flock.h"

#include <poll.h>
#include <sys/inotify.h>
#include <sys/socket.h>
#include <unistd.h>

#include <boost/json/array.hpp>
#include <cstdlib>
#include <filesystem>
#include <fstream>

namespace drover::hostile {

namespace fs = std::filesystem;

Refusal refusal_in(const race::HttpAnswer& answer) {
  Refusal refusal{.status = answer.status, .code = {}, .param = {}, .message = {}};
  const boost::json::value* inner = answer.body.if_contains("error");
  if (inner == nullptr || !inner->is_object()) return refusal;
  const boost::json::object& error = inner->get_object();
  refusal.code = race::text_in(error, "code");
  refusal.param = race::text_in(error, "param");
  refusal.message = race::text_in(error, "message");
  EXPECT_FALSE(refusal.code.empty());
  EXPECT_GE(refusal.message.size(), 10U) << "the message must say what to do";
  EXPECT_FALSE(race::text_in(error, "request_id").empty());
  EXPECT_GE(answer.status, 400);
  return refusal;
}

void AttackedFlock::begin() {
  daemon_ = flock_.daemon();
  runs_ = runs();
}

Refusal AttackedFlock::ask_raw(std::string_view bytes) const {
  race::Client client = connect();
  client.send(bytes);
  ::shutdown(client.fd(), SHUT_WR);
  return refusal_in(client.take());
}

Refusal AttackedFlock::ask(std::string_view method, std::string_view path, std::string_view body,
                           std::string_view headers) const {
  race::Client client = connect();
  return refusal_in(client.ask(method, path, body, headers));
}

std::string AttackedFlock::end_of_a_run() const {
  race::Client client = connect();
  const auto answer = client.ask("POST", "/api/runs?wait=60s", R"({"command":["true"]})");
  return answer.text("state");
}

size_t AttackedFlock::runs() {
  size_t count = 0;
  race::Client client = connect();
  for (std::string cursor;;) {
    const auto page = client.ask("GET", "/api/runs?limit=1000" + cursor);
    EXPECT_EQ(page.status, 200);
    if (page.status != 200) return count;
    count += page.body.at("runs").get_array().size();
    if (page.text("next_cursor").empty()) return count;
    cursor = "&cursor=" + page.text("next_cursor");
  }
}

void AttackedFlock::expect_untouched() {
  EXPECT_EQ(flock_.daemon(), daemon_) << "the daemon was replaced";
  EXPECT_EQ(runs(), runs_) << "a refusal left a run";
  EXPECT_EQ(end_of_a_run(), "completed");
  ++runs_;
  size_t files = 0;
  for (const auto& entry : fs::directory_iterator(flock_.home().runs())) {
    files += entry.path().extension() == ".run" ? 1U : 0U;
  }
  EXPECT_EQ(files, runs_) << "a refusal left a file";
  flock_.expect_verified();
}

std::string program(const char* name) {
  return std::string(DROVER_BIN) + "/" + name;
}

void copy_programs(const std::string& directory) {
  fs::create_directory(directory);
  for (const char* name : {"drover", "droverd", "drover-keeper"}) {
    fs::copy_file(program(name), directory + "/" + name);
  }
}

std::vector<std::string> as_nobody(const std::vector<std::string>& argv) {
  if (::geteuid() != 0) return argv;  // We are an ordinary user already.
  std::vector<std::string> words{"/usr/bin/setpriv", "--reuid=65534", "--regid=65534",
                                 "--clear-groups"};
  words.insert(words.end(), argv.begin(), argv.end());
  return words;
}

bool can_mount() {
  tests::Started attempt({"/usr/bin/unshare", "-m", "/bin/mount", "-t", "tmpfs", "none", "/mnt"},
                         {}, "");
  return attempt.finish().code == 0;
}

void wait_for_text(const std::string& path, const std::string& text) {
  const Fd watch(::inotify_init1(IN_CLOEXEC));
  ASSERT_GE(::inotify_add_watch(watch.get(), path.c_str(), IN_MODIFY), 0) << path;
  char buffer[4096];
  while (read_file(path, 1 << 26).value().find(text) == std::string::npos) {
    pollfd poll{.fd = watch.get(), .events = POLLIN, .revents = 0};
    ASSERT_EQ(::poll(&poll, 1, 60'000), 1) << text << " did not appear";
    (void)!::read(watch.get(), buffer, sizeof buffer);
  }
}

long status_of(pid_t pid, const char* field) {
  std::ifstream file("/proc/" + std::to_string(pid) + "/status");
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with(std::string(field) + ":")) {
      return std::strtol(line.c_str() + std::string_view(field).size() + 1, nullptr, 10);
    }
  }
  return -1;
}

size_t descriptors_of(pid_t pid) {
  const fs::directory_iterator all("/proc/" + std::to_string(pid) + "/fd");
  return static_cast<size_t>(std::distance(all, {}));
}

std::string name_descriptors(pid_t pid) {
  std::string out;
  for (const auto& entry : fs::directory_iterator("/proc/" + std::to_string(pid) + "/fd")) {
    std::error_code gone;
    out += entry.path().filename().string() + " " + fs::read_symlink(entry, gone).string() + "\n";
  }
  return out;
}

}  // namespace drover::hostile
