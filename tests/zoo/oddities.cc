// Animals that do anything else that a process can do to itself and to its directory.
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "tests/zoo/animal.h"

namespace drover::zoo {
namespace {

int deaf(const Den& den) {
  ignore_signals();
  touch(den, "ready");
  linger();
}

// Exits with 0; leaves three children that ignore signals.
int deaf_family(const Den& den) {
  for (const char* name : {"one", "two", "three"}) {
    give_birth(den, [&] {
      ::setsid();
      ignore_signals();
      touch(den, name);
      linger();
    });
    wait_for(den, name);
  }
  return 0;
}

int stopped(const Den& den) {
  touch(den, "ready");
  ::raise(SIGSTOP);
  linger();
}

// A stopped background child, in its own session.
int stopped_child(const Den& den) {
  give_birth(den, [&] {
    ::setsid();
    touch(den, "away");
    ::raise(SIGSTOP);
    linger();
  });
  wait_for(den, "away");
  return 0;
}

int no_descriptors(const Den&) {
  ::syscall(SYS_close_range, 0U, ~0U, 0U);
  pause_ms(50);
  return 9;
}

// Executes itself repeatedly; words: how often.
int execs(const Den& den) {
  const int left = std::atoi(den.words.at(0).c_str());
  if (left == 0) return 10;
  Den next = den;
  next.words.at(0) = std::to_string(left - 1);
  become(next, "execs", environ);
}

// A name that looks like the rest of a line in /proc.
int renamed(const Den& den) {
  ::prctl(PR_SET_NAME, ") Z 1 1 1 (");
  ignore_signals();
  touch(den, "ready");
  linger();
}

// Changes its user if permitted, and becomes undumpable. It could not write into the den any more.
int other_user(const Den& den) {
  int done[2];
  if (::pipe(done) != 0) return 1;
  give_birth(den, [&] {
    (void)!::setgid(65534);
    (void)!::setuid(65534);
    ::prctl(PR_SET_DUMPABLE, 0);
    ::setsid();
    ignore_signals();
    (void)!::write(done[1], "", 1);
    linger();
  });
  char byte = 0;
  if (::read(done[0], &byte, 1) != 1) return 2;
  touch(den, "ready");
  linger();
}

int homeless(const Den&) {
  char directory[4096];
  if (::getcwd(directory, sizeof directory) == nullptr || ::rmdir(directory) != 0) return 1;
  return ::getcwd(directory, sizeof directory) == nullptr ? 0 : 2;
}

// Executes another program in its place.
int replaced(const Den& den) {
  const std::string other = den.program + ".new";
  const int fd = ::open(other.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0755);
  const std::string_view script = "#!/bin/sh\necho replaced\nexit 12\n";
  if (::write(fd, script.data(), script.size()) != static_cast<ssize_t>(script.size())) return 1;
  ::close(fd);
  if (::rename(other.c_str(), den.program.c_str()) != 0) return 2;
  become(den, "replaced", environ);
}

// Reads standard input to its end and prints how much there was.
int reader(const Den& den) {
  touch(den, "ready");
  size_t total = 0;
  char buffer[4096];
  for (ssize_t n = 0; (n = ::read(0, buffer, sizeof buffer)) > 0;) total += static_cast<size_t>(n);
  std::printf("%zu\n", total);
  return 0;
}

void* live_on(void* code) {
  if (code == nullptr) linger();
  pause_ms(50);
  ::_exit(13);
}

// Its main thread exits and another one continues: the process looks like a zombie and is none.
void lose_head(void* code) {
  pthread_t thread;
  if (::pthread_create(&thread, nullptr, live_on, code) != 0) ::_exit(1);
  ::pthread_exit(nullptr);
}

int headless(const Den&) {
  int code = 0;
  lose_head(&code);
  return 1;
}

int headless_child(const Den& den) {
  const pid_t pid = give_birth(den, [&] {
    ::setsid();
    lose_head(nullptr);
  });
  const std::string path = "/proc/" + std::to_string(pid) + "/stat";
  char text[1024] = {};
  while (std::strstr(text, ") Z ") == nullptr) {
    const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
    if (::read(fd, text, sizeof text - 1) <= 0) return 1;
    ::close(fd);
    pause_ms(1);
  }
  return 0;
}

constexpr auto kAll = std::to_array<Animal>({
    {"deaf", deaf},
    {"deaf_family", deaf_family},
    {"stopped", stopped},
    {"stopped_child", stopped_child},
    {"no_descriptors", no_descriptors},
    {"execs", execs},
    {"renamed", renamed},
    {"other_user", other_user},
    {"homeless", homeless},
    {"replaced", replaced},
    {"reader", reader},
    {"headless", headless},
    {"headless_child", headless_child},
});

}  // namespace

std::span<const Animal> oddities() {
  return kAll;
}

}  // namespace drover::zoo
