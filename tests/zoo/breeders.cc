// Animals with many processes: fork storms, zombies, a hydra, and one that escapes every look at
// it.
#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cstdlib>
#include <new>
#include <vector>

#include "tests/zoo/animal.h"

namespace drover::zoo {
namespace {

int number_in(const Den& den, size_t at, int otherwise) {
  return den.words.size() > at ? std::atoi(den.words[at].c_str()) : otherwise;
}

using Count = std::atomic<int>;

// In memory that all of its processes share; with a name, the test shares it, too.
Count& shared_count(const char* path = nullptr) {
  const int fd = path == nullptr ? -1 : ::open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
  if (fd >= 0 && ::ftruncate(fd, sizeof(Count)) != 0) ::_exit(95);
  void* page = ::mmap(nullptr, sizeof(Count), PROT_READ | PROT_WRITE,
                      fd >= 0 ? MAP_SHARED : MAP_SHARED | MAP_ANONYMOUS, fd, 0);
  if (page == MAP_FAILED) ::_exit(95);
  if (fd >= 0) ::close(fd);
  return *new (page) Count(0);
}

// Dead children that it does not reap. All of them have exited before it does: a living one would
// be an orphan.
int zombies(const Den& den) {
  std::vector<pid_t> children;
  for (int i = number_in(den, 0, 300); i > 0; --i) children.push_back(give_birth(den, [] {}));
  for (const pid_t child : children) {
    siginfo_t info{};
    if (child > 0) ::waitid(P_PID, static_cast<id_t>(child), &info, WEXITED | WNOWAIT);
  }
  return 3;
}

// Every process forks until the limit is reached; each has its own session and ignores signals.
int storm(const Den& den) {
  Count& born = shared_count();
  Count& settled = shared_count();
  const int limit = number_in(den, 0, 300);
  const auto settle = [&] {
    if (settled.fetch_add(1) == limit) touch(den, "ready");  // The last one says so.
  };
  while (born.fetch_add(1) < limit) {
    const pid_t pid = ::fork();
    if (pid < 0) settle();
    if (pid != 0) continue;
    sign_witness(den);
    ::setsid();
    ignore_signals();
  }
  settle();
  linger();
}

Count* g_heads = nullptr;
const Den* g_den = nullptr;
int g_heads_max = 0;

// Forks two processes for each TERM, up to a limit.
void on_term(int) {
  for (int i = 0; i < 2; ++i) {
    if (g_heads->fetch_add(1) >= g_heads_max) return;
    if (::fork() == 0) {
      ::setsid();
      sign_witness(*g_den);
      return;
    }
  }
}

int hydra(const Den& den) {
  g_heads = &shared_count();
  g_den = &den;
  g_heads_max = number_in(den, 0, 64);
  ::signal(SIGTERM, on_term);
  touch(den, "ready");
  linger();
}

// Forks and exits in a loop: a lookup always finds the previous process. The count in the den shows
// whether it still runs.
int sprinter(const Den& den) {
  Count& generation = shared_count(den.file("generation").c_str());
  timespec begin{};
  ::clock_gettime(CLOCK_MONOTONIC, &begin);
  ignore_signals();
  if (::fork() > 0) {
    wait_for(den, "ready");
    linger();
  }
  while (true) {
    const pid_t pid = ::fork();
    if (pid > 0) ::_exit(0);
    ::setsid();
    if (generation.fetch_add(1) == 100) touch(den, "ready");
    timespec now{};
    ::clock_gettime(CLOCK_MONOTONIC, &now);
    if (now.tv_sec - begin.tv_sec > 60) ::_exit(0);
  }
}

// Many of them at once, each with a life of 300 microseconds, the next one in a session of its own.
// words: how many, and how many generations before it is ready. A file "stop" ends it.
void breed_swarm(const Den& den) {
  Count& generation = shared_count(den.file("generation").c_str());
  const int size = number_in(den, 0, 24);
  const int first = size * number_in(den, 1, 100);
  const std::string stop = den.file("stop");
  timespec begin{};
  ::clock_gettime(CLOCK_MONOTONIC, &begin);
  ignore_signals();
  for (int i = 0; i < size; ++i) {
    if (::fork() != 0) continue;
    while (true) {
      const timespec life{.tv_sec = 0, .tv_nsec = 300'000};
      ::nanosleep(&life, nullptr);
      if (::fork() > 0) ::_exit(0);
      ::setsid();
      if (generation.fetch_add(1) == first) touch(den, "ready");
      timespec now{};
      ::clock_gettime(CLOCK_MONOTONIC, &now);
      if (now.tv_sec - begin.tv_sec > 60 || ::access(stop.c_str(), F_OK) == 0) ::_exit(0);
    }
  }
  wait_for(den, "ready");
}

int swarm(const Den& den) {
  breed_swarm(den);
  linger();
}

// Its command exits, and the swarm stays.
int swarm_stays(const Den& den) {
  breed_swarm(den);
  return 12;
}

constexpr auto kAll = std::to_array<Animal>({
    {"zombies", zombies},
    {"storm", storm},
    {"hydra", hydra},
    {"sprinter", sprinter},
    {"swarm", swarm},
    {"swarm_stays", swarm_stays},
});

}  // namespace

std::span<const Animal> breeders() {
  return kAll;
}

}  // namespace drover::zoo
