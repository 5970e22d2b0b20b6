#include "base/home_lock.h"

#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <string>

namespace drover {
namespace {

struct flock whole_file() {
  struct flock wanted{};
  wanted.l_type = F_WRLCK;
  return wanted;
}

// 0 if the file does not contain a pid.
pid_t holder_of(int file) {
  char text[32] = {};
  (void)!::pread(file, text, sizeof text - 1, 0);
  return std::atoi(text);
}

// The lock can outlive a killed daemon for a moment, in a child that it was just starting. Its
// owner is dead then, and the lock is free as soon as the child has exec'd.
bool take_lock(int file) {
  constexpr int kTries = 400;
  constexpr int kPauseMs = 5;
  struct flock wanted = whole_file();
  for (int tries = 0; ::fcntl(file, F_OFD_SETLK, &wanted) != 0; ++tries) {
    const pid_t holder = holder_of(file);
    const bool is_dead = holder > 0 && ::kill(holder, 0) != 0 && errno == ESRCH;
    if (!is_dead || tries == kTries) return false;
    ::poll(nullptr, 0, kPauseMs);
  }
  return true;
}

}  // namespace

Result<Fd> take_home(const Home& home) {
  Fd lock(::open(home.lock().c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600));
  if (!lock) return fail_errno("cannot open " + home.lock(), errno);
  if (!take_lock(lock.get())) {
    return fail(ErrorCode::conflict, "daemon_running",
                "another daemon (pid " + std::to_string(holder_of(lock.get())) + ") is using " +
                    home.state + "; stop it with `drover stop`, or kill it if it does not answer");
  }
  const std::string pid = std::to_string(::getpid());
  if (::ftruncate(lock.get(), 0) != 0 || !write_all(lock.get(), pid)) {
    return fail_errno("cannot write " + home.lock(), errno);
  }
  return lock;
}

bool home_is_taken(const Home& home) {
  const Fd file(::open(home.lock().c_str(), O_RDWR | O_CLOEXEC | O_NOFOLLOW));
  if (!file) return false;
  struct flock found = whole_file();
  return ::fcntl(file.get(), F_OFD_GETLK, &found) == 0 && found.l_type != F_UNLCK;
}

}  // namespace drover
