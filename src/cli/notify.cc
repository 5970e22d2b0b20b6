#include "cli/notify.h"

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstdlib>

#include "base/fd.h"
#include "base/limits.h"
#include "cli/fields.h"
#include "cli/views/run_view.h"
#include "cli/views/table.h"
#include "cli/views/words.h"

namespace drover::cli {
namespace {

bool is_set(const char* name) {
  const char* value = std::getenv(name);
  return value != nullptr && *value != '\0';
}

// Without a session bus, notify-send would try to reach one for half a minute.
bool has_desktop() {
  return (is_set("DISPLAY") || is_set("WAYLAND_DISPLAY")) &&
         (is_set("DBUS_SESSION_BUS_ADDRESS") || is_set("XDG_RUNTIME_DIR"));
}

bool tell_desktop(std::string title, std::string text) {
  std::array<std::string, 5> words{"notify-send", "--app-name=drover", "--", std::move(title),
                                   std::move(text)};
  std::array<char*, 6> argv{};
  for (size_t i = 0; i < words.size(); ++i) argv[i] = words[i].data();
  posix_spawn_file_actions_t actions;
  ::posix_spawn_file_actions_init(&actions);
  for (const int fd : {0, 1, 2}) {
    ::posix_spawn_file_actions_addopen(&actions, fd, "/dev/null", O_RDWR, 0);
  }
  pid_t pid = 0;
  const int bad = ::posix_spawnp(&pid, "notify-send", &actions, nullptr, argv.data(), environ);
  ::posix_spawn_file_actions_destroy(&actions);
  if (bad != 0) return false;
  const Fd process(static_cast<int>(::syscall(SYS_pidfd_open, pid, 0)));
  pollfd gone{process.get(), POLLIN, 0};
  if (!process || ::poll(&gone, 1, static_cast<int>(limits::kProgressAfterMs)) != 1) return true;
  int status = 0;
  ::waitpid(pid, &status, 0);
  return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

}  // namespace

void notify(const std::string& title, const std::string& text) {
  const std::string what = clean(text);
  if (has_desktop() && tell_desktop(title, what)) return;
  if (::isatty(STDERR_FILENO) != 1) return;
  (void)write_all(STDERR_FILENO, "\x1b]9;" + title + ": " + what + "\x1b\\\a");
}

void notify_end(const boost::json::object& run, const std::string& what) {
  std::string text = text_in(run, "state");
  if (const std::string ending = ending_of(run); ending != "-" && ending != "0") {
    text += " (" + ending + ")";
  }
  if (const auto ms = number_in(run, "duration_ms")) text += " after " + say_duration(*ms);
  notify("drover", cut(clean(what), 60) + " " + text);
}

}  // namespace drover::cli
