#include "cli/terminal/pager.h"

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>

#include "base/fd.h"

namespace drover::cli {
namespace {

// A minimal Debian has no less.
constexpr const char* kDefault =
    "if command -v less > /dev/null; then exec less; else exec cat; fi";
// Of the shell that should start the pager; beyond them, a signal has ended it.
constexpr std::array kNotStarted{126, 127};

std::string variable(const char* name, const char* otherwise) {
  const char* value = std::getenv(name);
  return value == nullptr ? otherwise : value;
}

PagerSetting setting_of(const Screen& screen) {
  winsize size{};
  const bool known = ::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0;
  const std::string term = variable("TERM", "");
  return {.is_terminal = screen.output_is_terminal(),
          .rows = known ? size.ws_row : 0U,
          .in_run = std::getenv("DROVER_RUN_ID") != nullptr,
          .is_dumb = term.empty() || term == "dumb",
          .pager = variable("PAGER", kDefault)};
}

// Ctrl-C and a closed pager end the pager and not us: the shell would print its prompt into it.
class IgnoredSignals {
 public:
  IgnoredSignals() {
    struct sigaction ignore{};
    ignore.sa_handler = SIG_IGN;
    for (size_t i = 0; i < kSignals.size(); ++i) ::sigaction(kSignals[i], &ignore, &before_[i]);
  }
  ~IgnoredSignals() {
    for (size_t i = 0; i < kSignals.size(); ++i) ::sigaction(kSignals[i], &before_[i], nullptr);
  }
  IgnoredSignals(const IgnoredSignals&) = delete;
  IgnoredSignals& operator=(const IgnoredSignals&) = delete;

  static constexpr std::array<int, 3> kSignals{SIGINT, SIGQUIT, SIGPIPE};

 private:
  std::array<struct sigaction, kSignals.size()> before_{};
};

// Returns the pid of `sh -c pager`, which reads from `input`; 0 if it cannot be started.
pid_t start(const std::string& pager, int input) {
  ::setenv("LESS", "FRX", 0);  // As git: quit if the page fits, keep colors and the page.
  posix_spawn_file_actions_t actions;
  ::posix_spawn_file_actions_init(&actions);
  ::posix_spawn_file_actions_adddup2(&actions, input, STDIN_FILENO);
  posix_spawnattr_t attributes;
  ::posix_spawnattr_init(&attributes);
  sigset_t ours;
  ::sigemptyset(&ours);
  for (const int signal : IgnoredSignals::kSignals) ::sigaddset(&ours, signal);
  ::posix_spawnattr_setsigdefault(&attributes, &ours);
  ::posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF);
  std::array<std::string, 3> words{"sh", "-c", pager};
  std::array<char*, 4> argv{words[0].data(), words[1].data(), words[2].data(), nullptr};
  pid_t pid = 0;
  const int bad = ::posix_spawn(&pid, "/bin/sh", &actions, &attributes, argv.data(), environ);
  ::posix_spawnattr_destroy(&attributes);
  ::posix_spawn_file_actions_destroy(&actions);
  return bad == 0 ? pid : 0;
}

// Whether the user has seen the page.
bool show_in(const std::string& pager, const std::string& page) {
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) return false;
  Fd input(ends[0]);
  Fd output(ends[1]);
  const IgnoredSignals ignored;
  const pid_t pid = start(pager, input.get());
  if (pid == 0) return false;
  input.close();
  (void)write_all(output.get(), page);  // It may be left before it has read everything.
  output.close();
  int status = 0;
  while (::waitpid(pid, &status, 0) < 0 && errno == EINTR) {
  }
  return !WIFEXITED(status) ||
         std::ranges::find(kNotStarted, WEXITSTATUS(status)) == kNotStarted.end();
}

}  // namespace

bool needs_pager(std::string_view page, const PagerSetting& setting) {
  if (!setting.is_terminal || setting.rows == 0 || setting.in_run || setting.is_dumb) return false;
  if (setting.pager.find_first_not_of(" \t") == std::string::npos || setting.pager == "cat") {
    return false;
  }
  return static_cast<size_t>(std::ranges::count(page, '\n')) >= setting.rows;
}

Result<> print_page(Screen& screen, const std::string& page) {
  const PagerSetting setting = setting_of(screen);
  if (needs_pager(page, setting) && show_in(setting.pager, page)) return {};
  return screen.print(page);
}

}  // namespace drover::cli
