// Animals that leave the process tree: by forking twice, by their own session or group, by removing
// their environment mark.
#include <sched.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstdlib>

#include "tests/zoo/animal.h"

namespace drover::zoo {
namespace {

// The grandchild stays, and holds the pipes.
int double_fork(const Den& den) {
  give_birth(den, [&] {
    give_birth(den, [&] {
      touch(den, "away");
      linger();
    });
  });
  ::wait(nullptr);
  wait_for(den, "away");
  return 11;
}

int own_session(const Den& den) {
  give_birth(den, [&] {
    ::setsid();
    ::signal(SIGHUP, SIG_IGN);
    touch(den, "ready");
    linger();
  });
  linger();
}

int own_group(const Den& den) {
  give_birth(den, [&] {
    ::setpgid(0, 0);
    touch(den, "ready");
    linger();
  });
  linger();
}

// A classic daemon: fork, session, fork again, another directory, no descriptors.
int daemon(const Den& den) {
  give_birth(den, [&] {
    ::setsid();
    give_birth(den, [&] {
      if (::chdir("/") != 0) ::_exit(1);
      ::syscall(SYS_close_range, 0U, ~0U, 0U);
      touch(den, "away");
      linger();
    });
  });
  ::wait(nullptr);
  wait_for(den, "away");
  return 0;
}

// Orphans become its children, not its keeper's, as long as it lives.
int subreaper(const Den& den) {
  ::prctl(PR_SET_CHILD_SUBREAPER, 1);
  for (const char* name : {"one", "two", "three"}) {
    give_birth(den, [&] {
      give_birth(den, [&] {
        ::setsid();
        touch(den, name);
        linger();
      });
    });
    wait_for(den, name);
  }
  return 0;
}

// Its child has no environment to find it by.
int unmarked(const Den& den) {
  give_birth(den, [&] {
    ::unsetenv("DROVER_RUN_ID");
    ::setsid();
    std::array<char*, 1> nothing{};
    become(den, "unmarked_child", nothing.data());
  });
  wait_for(den, "away");
  return 0;
}

int unmarked_child(const Den& den) {
  ignore_signals();
  touch(den, "away");
  linger();
}

// Its own namespace, where it is process 1; without permission, at least its own session.
int hidden(const Den& den) {
  const bool alone = ::unshare(CLONE_NEWPID) == 0 || ::unshare(CLONE_NEWUSER | CLONE_NEWPID) == 0;
  give_birth(den, [&] {
    if (!alone) ::setsid();
    ignore_signals();
    give_birth(den, [&] {
      ::setsid();
      touch(den, "ready");
      linger();
    });
    linger();
  });
  linger();
}

// Its child leaves the cgroup of the run: what contains the run does not contain it any more.
int emigrant(const Den& den) {
  give_birth(den, [&] {
    ::setsid();
    emigrate();
    touch(den, "away");
    linger();
  });
  wait_for(den, "away");
  return 0;
}

constexpr auto kAll = std::to_array<Animal>({
    {"double_fork", double_fork},
    {"own_session", own_session},
    {"own_group", own_group},
    {"daemon", daemon},
    {"subreaper", subreaper},
    {"unmarked", unmarked},
    {"unmarked_child", unmarked_child},
    {"hidden", hidden},
    {"emigrant", emigrant},
});

}  // namespace

std::span<const Animal> escapers() {
  return kAll;
}

}  // namespace drover::zoo
