// A witness is the command of a tortured run: it records what it did, so that a test can compare
// Drover's report with it. In DIRECTORY/KEY it notes its start, its end and its exit code. It holds
// one of its lane's slots by a lock, which the kernel releases when it dies; an exceeded limit is
// noted in DIRECTORY/crowded.
//
//   torture-witness DIRECTORY KEY LANE LIMIT MS CODE [HABITS]
//
// LIMIT 0: any number at once. HABITS: d ignores TERM · f waits for DIRECTORY/KEY.go · i reads its
// standard input to the end · l prints much · o leaves a process behind that ignores TERM and has a
// session of its own · p the same, holding the pipes.
#include <fcntl.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <string>

namespace {

// One write each, so that lines of several processes never mix.
void note(const std::string& path, const std::string& line) {
  const int fd = ::open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
  if (fd < 0 || ::write(fd, line.data(), line.size()) != static_cast<ssize_t>(line.size())) {
    std::abort();
  }
  ::close(fd);
}

// Stays open: the lock is held until the last process that inherits it has exited.
bool take_slot(const std::string& path, int limit) {
  const int fd = ::open(path.c_str(), O_RDWR | O_CREAT, 0600);
  for (int slot = 0; slot < limit; ++slot) {
    struct flock lock{};
    lock.l_type = F_WRLCK;
    lock.l_start = slot;
    lock.l_len = 1;
    if (::fcntl(fd, F_OFD_SETLK, &lock) == 0) return true;
  }
  return limit == 0;
}

void leave_somebody_behind(bool with_pipes) {
  int up[2];
  if (::pipe(up) != 0) std::abort();
  if (::fork() == 0) {
    ::setsid();
    ::signal(SIGTERM, SIG_IGN);
    if (!with_pipes) {
      for (const int fd : {0, 1, 2}) ::close(fd);
    }
    ::close(up[0]);
    ::close(up[1]);
    while (true) ::pause();
  }
  ::close(up[1]);
  char byte;
  (void)!::read(up[0], &byte, 1);  // Until the child ignores TERM.
}

void doze(long ms) {
  const timespec time{.tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1'000'000};
  ::nanosleep(&time, nullptr);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 7) return 99;
  const std::string directory = argv[1];
  const std::string key = argv[2];
  const std::string mine = directory + "/" + key;
  const std::string habits = argc > 7 ? argv[7] : "";
  const auto has = [&](char habit) { return habits.find(habit) != std::string::npos; };
  note(mine, "began\n");
  if (!take_slot(directory + "/slots." + argv[3], std::atoi(argv[4]))) {
    note(directory + "/crowded", key + "\n");
  }
  if (has('d')) ::signal(SIGTERM, SIG_IGN);
  const std::string out = key + " says this\n";
  const std::string err = key + " complains\n";
  if (::write(1, out.data(), out.size()) < 0 || ::write(2, err.data(), err.size()) < 0) return 98;
  if (has('l')) {
    const std::string much(64 * 1024, '.');
    for (int i = 0; i < 8; ++i) (void)!::write(1, much.data(), much.size());
  }
  if (has('o') || has('p')) leave_somebody_behind(has('p'));
  for (char byte; has('i') && ::read(0, &byte, 1) == 1;) {
  }
  while (has('f') && ::access((mine + ".go").c_str(), F_OK) != 0) doze(2);
  doze(std::atol(argv[5]));
  note(mine, std::string("ended ") + argv[6] + "\n");
  return std::atoi(argv[6]);
}
