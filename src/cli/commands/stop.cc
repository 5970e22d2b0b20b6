// drover stop: stops the daemon; its runs continue, or with --kill Drover kills them.
#include <poll.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>

#include "base/clock.h"
#include "base/fd.h"
#include "base/limits.h"
#include "cli/client/launch_daemon.h"
#include "cli/commands/commands.h"
#include "cli/context.h"
#include "cli/fields.h"
#include "cli/views/words.h"
#include "wire/operations/daemon.h"

namespace drover::cli {
namespace {

using boost::json::object;

constexpr auto kOptions = std::to_array<Option>({
    {"kill", 0, Takes::nothing, "", "Kill every active run too"},
});

// Waits for the process to exit: its socket may close long before.
void await_exit(Context& context, const Fd& process, const std::string& what) {
  const std::int64_t began = mono_ms();
  pollfd gone{process.get(), POLLIN, 0};
  while (process && ::poll(&gone, 1, static_cast<int>(limits::kProgressAfterMs)) == 0) {
    const std::int64_t waited = mono_ms() - began;
    context.screen.progress(what + " · " + say_elapsed(waited));
  }
  context.screen.erase_progress();
}

Result<int> stop(Context& context, const Arguments& arguments) {
  const bool kill = arguments.has("kill");
  // Runs continue without a daemon, and killing them needs one. So only a plain stop succeeds
  // without a daemon.
  const Result<Fd> there = connect_to(context.home.socket());
  if (!kill) {
    if (!there) {
      if (there.error().reason != "no_daemon") return std::unexpected(there.error());
      if (context.json) {
        const object out{{"stopped", false}};
        (void)context.screen.print(json_text(out) + "\n");
      } else {
        context.screen.notice("no daemon is running");
      }
      return 0;
    }
  }
  const Result<object> status = context.client.ask(wire::daemon::status, {});
  // A caller who may not read the status may not stop the daemon either. The refusal of the stop
  // itself says so.
  if (!status && status.error().reason != "forbidden") return std::unexpected(status.error());
  const object known = status.value_or(object());
  const auto pid = static_cast<pid_t>(number_in(known, "pid").value_or(0));
  const Fd process(static_cast<int>(::syscall(SYS_pidfd_open, pid, 0)));
  const Call call{.body = json_text(object{{"kill", kill}})};
  const Result<object> answer = context.client.ask(wire::daemon::stop, call);
  if (!answer) return std::unexpected(answer.error());
  await_exit(context, process, kill ? "killing all runs" : "stopping the daemon");
  if (context.json) {
    if (auto ok = context.screen.print(json_text(*answer) + "\n"); !ok) {
      return std::unexpected(ok.error());
    }
    return 0;
  }
  std::string notice = there
                           ? "the daemon has stopped"
                           : "no daemon was running; the one started to kill the runs has stopped";
  const auto active = number_in(known, "runs_active").value_or(0);
  if (!kill && active != 0) {
    notice += "; " + say_count(active, "run keeps", "runs keep") + " running without it";
  }
  const auto queued = number_in(known, "runs_queued").value_or(0);
  if (!kill && queued != 0) {
    notice +=
        "; " + say_count(queued, "queued run waits", "queued runs wait") + " for the next daemon";
  }
  if (const auto left = number_in(*answer, "left_alone").value_or(0); left != 0) {
    notice +=
        "; it left " + say_count(left, "active run", "active runs") + " of unknown kinds alone";
  }
  context.screen.notice(notice);
  return 0;
}

}  // namespace

const Command kStop{
    .name = "stop",
    .words = {},
    .group = Group::daemon,
    .summary = "Stop the daemon",
    .help =
        "Stop the daemon.\n\n"
        "Active runs keep running, and the next daemon finds them. With --kill, Drover kills "
        "them first.",
    .examples = {{{"drover stop", "Stop the daemon and leave its runs running."},
                  {"drover stop --kill", "Kill all runs, then stop the daemon."}}},
    .options = kOptions,
    .run = stop,
};

}  // namespace drover::cli
