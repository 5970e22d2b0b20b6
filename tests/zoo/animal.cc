#include "tests/zoo/animal.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace drover::zoo {

// Writes the pid as seen from outside, and the start time that makes it unique. Both come from
// /proc, so that a process in its own namespace is named correctly, too.
void sign_witness(const Den& den) {
  ::alarm(120);
  char stat[1024] = {};
  const int in = ::open("/proc/self/stat", O_RDONLY | O_CLOEXEC);
  const ssize_t n = ::read(in, stat, sizeof stat - 1);
  ::close(in);
  const char* at = n > 0 ? std::strrchr(stat, ')') : nullptr;
  for (int field = 2; at != nullptr && field < 22; ++field) at = std::strchr(at + 1, ' ');
  if (at == nullptr) ::_exit(90);
  char line[64];
  const int length = std::snprintf(line, sizeof line, "%d %s\n", std::atoi(stat),
                                   std::to_string(std::strtoull(at, nullptr, 10)).c_str());
  const int out =
      ::open(den.file("witness").c_str(), O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0666);
  if (out < 0 || ::write(out, line, static_cast<size_t>(length)) != length) ::_exit(91);
  ::close(out);
}

void hold_lock(const Den& den) {
  const int fd = ::open(den.file("lock").c_str(), O_RDONLY);
  if (fd >= 0 && ::flock(fd, LOCK_SH) != 0) ::_exit(96);
}

void touch(const Den& den, std::string_view name) {
  ::close(::open(den.file(name).c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0666));
}

void pause_ms(int ms) {
  const timespec time{.tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1'000'000L};
  ::nanosleep(&time, nullptr);
}

void wait_for(const Den& den, std::string_view name) {
  struct stat st{};
  while (::stat(den.file(name).c_str(), &st) != 0) pause_ms(1);
}

void linger() {
  while (true) ::pause();
}

void ignore_signals() {
  for (int number = 1; number < NSIG; ++number) {
    if (number != SIGALRM && number != SIGCHLD) ::signal(number, SIG_IGN);
  }
}

namespace {

// The path of this process's cgroup below the mount of cgroup v2; empty: there is none.
std::string own_cgroup() {
  char text[4096] = {};
  const int fd = ::open("/proc/self/cgroup", O_RDONLY | O_CLOEXEC);
  if (fd >= 0) (void)!::read(fd, text, sizeof text - 1);
  ::close(fd);
  const char* line = std::strstr(text, "0::/");
  return line == nullptr ? "" : std::string(line + 3, std::strcspn(line + 3, "\n"));
}

bool join(const std::string& cgroup) {
  for (const char* root : {"/sys/fs/cgroup", "/sys/fs/cgroup/unified"}) {
    const std::string file = root + cgroup + "/cgroup.procs";
    const int fd = ::open(file.c_str(), O_WRONLY | O_CLOEXEC);
    const bool joined = fd >= 0 && ::write(fd, "0", 1) == 1;
    ::close(fd);
    if (joined) return true;
  }
  return false;
}

}  // namespace

void emigrate() {
  const std::string home = own_cgroup();
  if (home.empty() || home == "/") return;
  for (std::string above = home; above != "/";) {
    const size_t slash = above.rfind('/');
    above = slash == 0 ? "/" : above.substr(0, slash);
    if (join(above)) return;  // One with controllers takes no processes.
  }
  ::_exit(88);
}

void become(const Den& den, const char* animal, char** environment) {
  std::vector<std::string> words{den.program, animal, den.directory};
  words.insert(words.end(), den.words.begin(), den.words.end());
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  ::execve(den.program.c_str(), argv.data(), environment);
  ::_exit(92);
}

}  // namespace drover::zoo

int main(int argc, char** argv) {
  using namespace drover::zoo;
  if (argc < 3) return 93;
  const Den den{argv[1], argv[2], {argv + 3, argv + argc}, argv[0]};
  sign_witness(den);
  hold_lock(den);
  for (const auto& kind :
       {escapers(), breeders(), talkers(), attackers(), racers(), shedding(), oddities()}) {
    for (const Animal& animal : kind) {
      if (animal.name == den.animal) return animal.live(den);
    }
  }
  std::fprintf(stderr, "there is no animal %s\n", argv[1]);
  return 94;
}
