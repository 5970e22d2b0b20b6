// drover-keeper is the cradle: the daemon starts it, and it forks itself into keepers. People do
// not start it.
//
//   drover-keeper REQUEST_FD REPORT_FD RUNS_DIRECTORY CONTROLS_DIRECTORY DESCRIPTORS_MAX CGROUPS
//       [READER_AWAY_MS]
//   drover-keeper --noop    the command of a probe run: exits with 0
#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <string_view>

#include "base/limits.h"
#include "process/cradle_loop.h"

namespace {

// Closes every other descriptor of the daemon. Otherwise its clients would wait forever on our
// copy of their connection, and commands would connect to our copy of a dead daemon's socket.
void keep_only(int one, int other) {
  const auto first = static_cast<unsigned>(std::min(one, other));
  const auto second = static_cast<unsigned>(std::max(one, other));
  const auto close_from_to = [](unsigned from, unsigned to) {
    if (from <= to) ::syscall(SYS_close_range, from, to, 0U);
  };
  close_from_to(3, first - 1);
  close_from_to(first + 1, second - 1);
  close_from_to(second + 1, ~0U);
}

}  // namespace

int main(int argc, char** argv) {
  using namespace drover::process;
  if (argc == 2 && std::string_view(argv[1]) == "--noop") return 0;
  if (argc != 7 && argc != 8) {
    std::fputs("drover-keeper is started by droverd; run `drover` instead.\n", stderr);
    return 2;
  }
  // No command of the same user may open our descriptors or read our memory. A command is dumpable
  // again when it is exec'd.
  ::prctl(PR_SET_DUMPABLE, 0);
  const int requests = std::atoi(argv[1]);
  keep_only(requests, std::atoi(argv[2]));
  const BootId boot = boot_id();
  ForkCount forks;
  const KeeperPlace place{
      .runs = ::open(argv[3], O_PATH | O_DIRECTORY | O_CLOEXEC),
      .runs_path = argv[3],
      .report = std::atoi(argv[2]),
      .null = ::open("/dev/null", O_RDWR | O_CLOEXEC),
      .controls = argv[4],
      .cgroups = argv[6],
      .boot = &boot,
      .forks = &forks,
      .reader_away_ms = argc == 8 ? std::atoll(argv[7]) : drover::limits::kReaderAwayMs};
  if (place.runs < 0 || place.null < 0 || ::chdir("/") != 0) return 1;
  ::fcntl(requests, F_SETFD, FD_CLOEXEC);
  ::fcntl(place.report, F_SETFD, FD_CLOEXEC);
  rlimit limit{};
  if (const rlim_t wanted = std::strtoull(argv[5], nullptr, 10);
      wanted != 0 && ::getrlimit(RLIMIT_NOFILE, &limit) == 0) {
    limit.rlim_cur = wanted;  // The daemon has raised its own; commands get their user's.
    ::setrlimit(RLIMIT_NOFILE, &limit);
  }
  // A reader of an inherited pipe must not wait for us.
  for (const int fd : {0, 1, 2}) ::dup2(place.null, fd);
  ::umask(077);
  return CradleLoop(requests, place).run();
}
