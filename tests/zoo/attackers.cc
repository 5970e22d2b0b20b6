// Animals that attack their keepers. They find them as any program could: the parent, and the
// daemon by the lock of the home in their arguments, never by a name that other processes might
// have.
#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "tests/zoo/animal.h"

namespace drover::zoo {
namespace {

std::string text_of(const std::string& path) {
  char text[1024] = {};
  const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0 || ::read(fd, text, sizeof text - 1) <= 0) ::_exit(97);
  ::close(fd);
  return text;
}

pid_t parent_of(pid_t pid) {
  const std::string stat = text_of("/proc/" + std::to_string(pid) + "/stat");
  return std::atoi(stat.c_str() + stat.rfind(')') + 4);
}

// words: the home's daemon.lock.
pid_t daemon_of(const Den& den) {
  const pid_t pid = std::atoi(text_of(den.words.at(0)).c_str());
  if (pid <= 1) ::_exit(97);
  return pid;
}

void strike(pid_t pid, int number) {
  if (::kill(pid, number) != 0) ::_exit(98);
}

// A child that would outlive an attack if nobody searched for it.
void leave_somebody(const Den& den) {
  give_birth(den, [&] {
    ::setsid();
    ignore_signals();
    touch(den, "away");
    linger();
  });
  wait_for(den, "away");
}

int kills_keeper(const Den& den) {
  leave_somebody(den);
  strike(::getppid(), SIGKILL);
  linger();
}

// Kills its keeper, and prevents its own death with it.
int kills_keeper_and_stays(const Den& den) {
  ::prctl(PR_SET_PDEATHSIG, 0);
  ignore_signals();
  ::unsetenv("DROVER_RUN_ID");
  leave_somebody(den);
  strike(::getppid(), SIGKILL);
  linger();
}

// The same from outside the run's cgroup.
int emigrates_and_kills_keeper(const Den& den) {
  emigrate();
  return kills_keeper_and_stays(den);
}

// A stopped keeper handles nothing, so a cancel must wake it. words: after how many milliseconds. A
// new keeper has no socket and has not signed completely yet.
int stops_keeper(const Den& den) {
  pause_ms(std::atoi(den.words.at(0).c_str()));
  strike(::getppid(), SIGSTOP);
  touch(den, "ready");
  linger();
}

int terminates_keeper(const Den&) {
  strike(::getppid(), SIGTERM);
  linger();
}

// Sends every signal except TERM and the two that cannot be caught.
int pesters_keeper(const Den&) {
  for (int number = 1; number < NSIG; ++number) {
    if (number != SIGKILL && number != SIGSTOP && number != SIGTERM) ::kill(::getppid(), number);
  }
  return 6;
}

int kills_daemon(const Den& den) {
  strike(daemon_of(den), SIGKILL);
  return 7;
}

int kills_cradle(const Den& den) {
  leave_somebody(den);
  strike(parent_of(::getppid()), SIGKILL);
  return 8;
}

// Kills from the top down. It dies with its keeper; the processes it left have the mark.
int kills_everybody(const Den& den) {
  leave_somebody(den);
  const pid_t keeper = ::getppid();
  const pid_t cradle = parent_of(keeper);
  const pid_t daemon = daemon_of(den);
  for (const pid_t pid : {daemon, cradle, keeper}) strike(pid, SIGKILL);
  linger();
}

constexpr auto kAll = std::to_array<Animal>({
    {"kills_keeper", kills_keeper},
    {"kills_keeper_and_stays", kills_keeper_and_stays},
    {"emigrates_and_kills_keeper", emigrates_and_kills_keeper},
    {"stops_keeper", stops_keeper},
    {"terminates_keeper", terminates_keeper},
    {"pesters_keeper", pesters_keeper},
    {"kills_daemon", kills_daemon},
    {"kills_cradle", kills_cradle},
    {"kills_everybody", kills_everybody},
});

}  // namespace

std::span<const Animal> attackers() {
  return kAll;
}

}  // namespace drover::zoo
