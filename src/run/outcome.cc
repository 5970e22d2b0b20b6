#include "run/outcome.h"

#include <fmt/format.h>

#include <cerrno>
#include <csignal>
#include <cstring>
#include <system_error>

#include "base/limits.h"
#include "base/size.h"
#include "base/text.h"

namespace drover::run {
namespace {

template <class... Ts>
struct Cases : Ts... {
  using Ts::operator()...;
};

std::string signal_text(int signal) {
  const char* abbreviation = ::sigabbrev_np(signal);
  return abbreviation == nullptr ? fmt::format("signal {}", signal)
                                 : fmt::format("SIG{}", abbreviation);
}

// A guess at what was meant by a program of this name.
std::string_view advice_about(std::string_view program) {
  if (program.find('/') != std::string_view::npos) return "check the path";
  if (program.find_first_of(" |&;<>") != std::string_view::npos) {
    return "to run a shell command line, use --shell";
  }
  if (program.find('=') != std::string_view::npos) return "to set a variable, use --env NAME=VALUE";
  return "check the name, or PATH";
}

std::string launch_text(const NotLaunched& launch) {
  const std::string why = std::generic_category().message(launch.error_number);
  if (launch.step == LaunchStep::cwd) {
    return fmt::format("cannot enter the directory {}: {}", launch.detail, why);
  }
  if (launch.step == LaunchStep::lock && launch.error_number == EAGAIN) {
    return "not started: another process has locked the file that this command must lock";
  }
  if (launch.step != LaunchStep::exec) {
    return fmt::format("could not be launched at step {}: {}", name(launch.step), why);
  }
  switch (launch.error_number) {
    case ENOENT:
      return fmt::format("{} was not found; {}", launch.detail, advice_about(launch.detail));
    case EISDIR:
      return fmt::format("{} is a directory, not a program", launch.detail);
    case ENOEXEC:
      return fmt::format(
          "{} is not a program: it has no #! line and is not a binary for this machine",
          launch.detail);
    case EACCES:
      return fmt::format(
          "{} cannot be executed; check that it is not a directory and that its x bit is set "
          "(chmod +x)",
          launch.detail);
    default:
      return fmt::format("{} could not be executed: {}", launch.detail, why);
  }
}

// The outcome if nothing had been requested.
Verdict by_exit(const Ending& ending) {
  return std::visit(
      Cases{
          [](const Exited& e) {
            Verdict v;
            v.happening = e.code == 0 ? Happening::completed : Happening::failed;
            v.reason = e.code == 0 ? Reason::exit_zero : Reason::exit_nonzero;
            v.exit_code = e.code;
            if (e.code != 0) v.message = fmt::format("exited with code {}", e.code);
            return v;
          },
          [](const Killed& k) {
            Verdict v;
            v.happening = Happening::failed;
            v.reason = Reason::signaled;
            v.signal = k.signal;
            v.message = fmt::format("was killed by {}{}", signal_text(k.signal),
                                    k.core_dumped ? " (core dumped)" : "");
            return v;
          },
          [](const NotLaunched& n) {
            Verdict v;
            v.happening = Happening::failed;
            v.reason = Reason::launch_failed;
            v.origin = Origin::launch;
            v.message = launch_text(n);
            return v;
          },
          [](const NeverStarted&) {
            Verdict v;
            v.happening = Happening::failed;
            v.reason = Reason::host_restarted;
            v.origin = Origin::host;
            v.message = "the daemon restarted before the run started, and its on_restart is fail";
            return v;
          },
          [](const Unknown& u) {
            Verdict v;
            const bool restarted = u.reason == Reason::host_restarted;
            v.happening = Happening::abandoned;
            v.reason = u.reason;
            v.origin = Origin::host;
            v.message =
                restarted
                    ? "the machine restarted while the run was active; its exit code is unknown"
                    : "the keeper of the run was lost; its exit code is unknown";
            return v;
          },
      },
      ending);
}

void overrule(Verdict& v, Happening happening, Reason reason, Origin origin, std::string message) {
  v.happening = happening;
  v.reason = reason;
  v.origin = origin;
  v.message = std::move(message);
}

}  // namespace

Verdict judge(const Ending& ending, const EndingContext& c) {
  Verdict v = by_exit(ending);
  const bool ended =
      std::holds_alternative<Exited>(ending) || std::holds_alternative<Killed>(ending);
  if (ended && c.cause == StopCause::timeout) {
    overrule(v, Happening::timed_out, Reason::timeout, Origin::runtime,
             "took longer than its timeout");
  } else if (ended && c.cause == StopCause::idle_timeout) {
    overrule(v, Happening::timed_out, Reason::idle_timeout, Origin::runtime,
             "printed nothing for longer than its idle timeout");
  } else if (ended && c.cause == StopCause::output_limit) {
    overrule(v, Happening::failed, Reason::output_limit, Origin::runtime,
             "printed more than its output limit");
  } else if (ended && c.cause == StopCause::out_of_memory && !c.cancel_came_first) {
    overrule(v, Happening::failed, Reason::out_of_memory, Origin::runtime,
             c.memory_bytes == 0
                 ? "was killed by the kernel: it ran out of memory"
                 : fmt::format("used more memory than its limit of {} and was killed by the "
                               "kernel; raise the limit with --memory",
                               format_size(c.memory_bytes)));
  } else if (c.cause == StopCause::cancel || c.cancel_came_first) {
    overrule(v, Happening::canceled, c.forced ? Reason::cancel_forced : Reason::canceled_by_owner,
             Origin::owner,
             c.forced ? "was canceled, and killed after its grace period" : "was canceled");
  }
  v.message = bounded(v.message, limits::kMessageBytesMax);
  return v;
}

}  // namespace drover::run
