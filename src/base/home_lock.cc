#include "base/home_lock.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <string>

#include "base/ownership.h"

namespace drover {
namespace {

struct flock whole_file() {
  struct flock wanted{};
  wanted.l_type = F_WRLCK;
  return wanted;
}

// The first line of the file: the pid, and when that process started, because pids are reused.
struct Note {
  pid_t pid = 0;                 // 0: the file does not contain one.
  unsigned long long ticks = 0;  // Field 22 of /proc/<pid>/stat. 0: an earlier daemon wrote it.
};
Note note_in(int file) {
  char text[64] = {};
  (void)!::pread(file, text, sizeof text - 1, 0);
  Note note;
  char* rest = nullptr;
  note.pid = static_cast<pid_t>(std::strtol(text, &rest, 10));
  note.ticks = std::strtoull(rest, nullptr, 10);
  return note;
}
pid_t holder_of(int file) {
  return note_in(file).pid;
}

unsigned long long start_ticks(pid_t pid) {
  constexpr size_t kStatBytesMax = 4096;
  const auto stat = read_file("/proc/" + std::to_string(pid) + "/stat", kStatBytesMax);
  const size_t name_end = stat ? stat->rfind(')') : std::string::npos;
  if (name_end == std::string::npos) return 0;
  const char* at = stat->c_str() + name_end;
  constexpr int kSpaces = 20;  // Between the name, which is field 2, and field 22.
  for (int i = 0; i < kSpaces && at != nullptr; ++i) at = std::strchr(at + 1, ' ');
  return at == nullptr ? 0 : std::strtoull(at, nullptr, 10);
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
  Fd lock = open_file(home.lock(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
  if (!lock) return fail_errno("cannot open " + home.lock(), errno);
  if (!take_lock(lock.get())) {
    return fail(ErrorCode::conflict, "daemon_running",
                "another daemon (pid " + std::to_string(holder_of(lock.get())) + ") is using " +
                    home.state + "; stop it with `drover stop`, or kill it if it does not answer");
  }
  const std::string pid =
      std::to_string(::getpid()) + " " + std::to_string(start_ticks(::getpid())) + "\n";
  if (::ftruncate(lock.get(), 0) != 0 || !write_all(lock.get(), pid)) {
    return fail_errno("cannot write " + home.lock(), errno);
  }
  return lock;
}

bool home_is_taken(const Home& home) {
  const Fd file = open_file(home.lock(), O_RDWR | O_CLOEXEC | O_NOFOLLOW);
  if (!file) return false;
  struct flock found = whole_file();
  return ::fcntl(file.get(), F_OFD_GETLK, &found) == 0 && found.l_type != F_UNLCK;
}

std::optional<HomeHolder> home_holder(const Home& home) {
  if (!home_is_taken(home)) return std::nullopt;
  const Fd file = open_file(home.lock(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
  const Note note = file ? note_in(file.get()) : Note{};
  HomeHolder holder{.pid = note.pid, .process = {}};
  struct stat info{};
  // A user who can write the file could name any process in it, and we would signal that one.
  if (!file || ::fstat(file.get(), &info) != 0 || !is_own(info)) return holder;
  if (note.pid <= 0 || note.ticks == 0) return holder;
  // First the descriptor, then the comparison: the process cannot change afterwards.
  Fd process(static_cast<int>(::syscall(SYS_pidfd_open, note.pid, 0)));
  if (process && start_ticks(note.pid) == note.ticks) holder.process = std::move(process);
  return holder;
}

}  // namespace drover
