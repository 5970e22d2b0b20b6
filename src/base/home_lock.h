// The home lock allows one daemon per home. When the daemon dies, the kernel releases the lock; a
// pid file would stay.
#pragma once

#include <sys/types.h>

#include <optional>

#include "base/fd.h"
#include "base/home.h"

namespace drover {

// Locks the home until the descriptor is closed. Fails with `daemon_running` and the pid if another
// daemon has locked it.
Result<Fd> take_home(const Home& home);

// Whether a daemon has locked the home at this moment. Does not take the lock.
bool home_is_taken(const Home& home);

// The daemon that has locked the home. The command line finds it by this while its socket is
// missing.
struct HomeHolder {
  pid_t pid = 0;  // As the daemon has written it into the lock file; for people.
  Fd process;     // Its pidfd. Empty: the process with this pid is not the daemon.
};
std::optional<HomeHolder> home_holder(const Home& home);

}  // namespace drover
