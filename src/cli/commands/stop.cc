// drover stop: stops the daemon; its runs continue, or with --kill Drover kills them.
#include <poll.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>

#include "base/clock.h"
#include "base/fd.h"
#include "base/home_lock.h"
#include "base/limits.h"
#include "cli/client/launch_daemon.h"
#include "cli/client/living_processes.h"
#include "cli/commands/commands.h"
#include "cli/context.h"
#include "cli/fields.h"
#include "cli/views/words.h"
#include "wire/errors.h"
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

// The living processes of all runs: nothing else is a complete `stop --kill`. Without a daemon, no
// run starts meanwhile.
Result<boost::json::array> find_living() {
  const auto living = find_living_processes();
  if (!living) return std::unexpected(living.error());
  boost::json::array all = array_in(*living, "survivors");
  for (const boost::json::value& one : array_in(*living, "active")) all.push_back(one);
  return all;
}

Result<int> tell(Context& context, bool stopped, const std::string& notice) {
  if (!context.json) {
    context.screen.notice(notice);
    return 0;
  }
  const object out{{"stopped", stopped}};
  if (auto ok = context.screen.print(json_text(out) + "\n"); !ok) {
    return std::unexpected(ok.error());
  }
  return 0;
}

// Its socket is missing, and it cannot create another: the daemon is known by its lock alone.
Result<> stop_by_lock(Context& context) {
  const auto holder = home_holder(context.home);
  if (!holder) return {};
  if (!holder->process) {
    return fail(ErrorCode::unavailable, "socket_missing",
                "the socket of the daemon (pid " + std::to_string(holder->pid) +
                    ") is missing, and that process cannot be reached from here; stop it where it "
                    "runs, with kill " +
                    std::to_string(holder->pid));
  }
  if (::syscall(SYS_pidfd_send_signal, holder->process.get(), SIGTERM, nullptr, 0) != 0) {
    return fail_errno("cannot stop the daemon (pid " + std::to_string(holder->pid) + ")", errno);
  }
  await_exit(context, holder->process, "stopping the daemon");
  return {};
}

// The runs could not be killed, because no daemon can be reached or started: names those that live.
Result<int> name_living(Context& context, const Error& why) {
  const Result<boost::json::array> living = find_living();
  if (!living) return std::unexpected(why);
  if (living->empty()) {
    return tell(context, true, "the daemon has stopped; no process of a run is alive");
  }
  if (context.json) {
    const object out{{"stopped", false}, {"survivors", *living}};
    (void)context.screen.print(json_text(out) + "\n");
  }
  for (const boost::json::value& one : *living) {
    if (!context.json && one.is_object()) {
      context.screen.notice(text_in(one.get_object(), "problem"));
    }
  }
  return std::unexpected(why);
}

Result<int> stop(Context& context, const Arguments& arguments) {
  const bool kill = arguments.has("kill");
  // Runs continue without a daemon, and killing them needs one. So only a plain stop succeeds
  // without a daemon.
  const Result<Fd> there = connect_to_holder(context.home);
  const bool is_deaf = !there && there.error().reason == "socket_missing";
  if (is_deaf) {
    // To kill its runs, another daemon is started in its place.
    const Result<> stopped = stop_by_lock(context);
    if (!stopped && kill) return name_living(context, stopped.error());
    if (!stopped) return std::unexpected(stopped.error());
    if (!kill) return tell(context, true, "the daemon has stopped; its socket was missing");
  }
  if (!there && !is_deaf && there.error().reason != "no_daemon") {
    return std::unexpected(there.error());
  }
  if (!there && !kill) return tell(context, false, "no daemon is running");
  const Result<object> status = context.client.ask(wire::daemon::status, {});
  if (!status && is_deaf) return name_living(context, status.error());
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
  const Result<boost::json::array> living = kill ? find_living() : boost::json::array();
  if (!living) return std::unexpected(living.error());
  const int code = living->empty() ? 0 : wire::exit_code::kProblemFound;
  if (context.json) {
    object out = *answer;
    if (kill) out["survivors"] = *living;
    if (auto ok = context.screen.print(json_text(out) + "\n"); !ok) {
      return std::unexpected(ok.error());
    }
    return code;
  }
  std::string notice = there ? "the daemon has stopped"
                       : is_deaf
                           ? "the daemon has stopped; its socket was missing, and another daemon "
                             "was started to kill the runs"
                           : "no daemon was running; the one started to kill the runs has stopped";
  const auto active = number_in(known, "runs_active").value_or(0);
  if (!kill && active != 0) {
    notice += "; " + say_count(active, "run keeps", "runs keep") + " running without it";
  }
  if (kill && active != 0) notice += "; " + say_count(active, "run was", "runs were") + " killed";
  const auto queued = number_in(known, "runs_queued").value_or(0);
  if (!kill && queued != 0) {
    notice +=
        "; " + say_count(queued, "queued run waits", "queued runs wait") + " for the next daemon";
  }
  if (const auto left = number_in(*answer, "left_alone").value_or(0); left != 0) {
    notice +=
        "; it left " + say_count(left, "active run", "active runs") + " of unknown kinds alone";
  }
  if (code != 0) {
    notice += "; " + say_count(static_cast<std::int64_t>(living->size()), "process", "processes") +
              " of runs could not be killed:";
  }
  context.screen.notice(notice);
  for (const boost::json::value& one : *living) {
    if (one.is_object()) context.screen.notice(text_in(one.get_object(), "problem"));
  }
  return code;
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
        "them first and waits until all processes are gone. If a process cannot be killed, it "
        "prints it and exits with 1.",
    .examples = {{{"drover stop", "Stop the daemon and leave its runs running."},
                  {"drover stop --kill", "Kill all runs, then stop the daemon."}}},
    .options = kOptions,
    .run = stop,
};

}  // namespace drover::cli
