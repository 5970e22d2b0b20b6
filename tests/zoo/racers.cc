// Animals for races: short lives with adjustable times. Each signs for its run, so that a second
// execution would be visible. words: microseconds, exit code.
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <time.h>
#include <unistd.h>

#include <array>
#include <cstdlib>

#include "tests/zoo/animal.h"

namespace drover::zoo {
namespace {

void sign_for_run(const Den& den) {
  const char* id = std::getenv("DROVER_RUN_ID");
  const std::string line = std::string(id == nullptr ? "?" : id) + "\n";
  const int fd = ::open(den.file("ran").c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
  if (::write(fd, line.data(), line.size()) < 0) ::_exit(1);
  ::close(fd);
}

// Exits after that time.
int brief(const Den& den) {
  sign_for_run(den);
  ::usleep(static_cast<useconds_t>(std::atoi(den.words.at(0).c_str())));
  return std::atoi(den.words.at(1).c_str());
}

// Sends its keeper a stop signal, and exits before that can take effect.
int parting_shot(const Den& den) {
  sign_for_run(den);
  ::kill(::getppid(), SIGTERM);
  ::_exit(7);
}

int g_late_us = 0;

// Exits some time after TERM.
int late(const Den& den) {
  g_late_us = std::atoi(den.words.at(0).c_str());
  ::signal(SIGTERM, [](int) {
    ::usleep(static_cast<useconds_t>(g_late_us));
    ::_exit(7);
  });
  sign_for_run(den);
  linger();
}

// Prints its input while it lives.
int sipping(const Den& den) {
  sign_for_run(den);
  const int us = std::atoi(den.words.at(0).c_str());
  pollfd poll{.fd = 0, .events = POLLIN, .revents = 0};
  timespec begin{}, now{};
  ::clock_gettime(CLOCK_MONOTONIC, &begin);
  for (long left = us; left > 0;) {
    const timespec time{.tv_sec = left / 1'000'000, .tv_nsec = left % 1'000'000 * 1'000};
    char buffer[4096];
    if (::ppoll(&poll, 1, &time, nullptr) > 0) {
      const ssize_t n = ::read(0, buffer, sizeof buffer);
      if (n > 0 && ::write(1, buffer, static_cast<size_t>(n)) != n) return 1;
      if (n == 0) poll.fd = -1;
    }
    ::clock_gettime(CLOCK_MONOTONIC, &now);
    left = us - (now.tv_sec - begin.tv_sec) * 1'000'000 - (now.tv_nsec - begin.tv_nsec) / 1'000;
  }
  return std::atoi(den.words.at(1).c_str());
}

constexpr auto kAll = std::to_array<Animal>({
    {"brief", brief},
    {"parting_shot", parting_shot},
    {"late", late},
    {"sipping", sipping},
});

}  // namespace

std::span<const Animal> racers() {
  return kAll;
}

}  // namespace drover::zoo
