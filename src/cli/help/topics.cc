#include "cli/help/topics.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>

#include "base/clock.h"
#include "base/limits.h"
#include "base/size.h"
#include "config/settings.h"

namespace drover::cli {
namespace {

std::string handles() {
  return R"(Every run has a handle. Wherever a command takes RUN, write one of these:

  run_01kx…   the full id, as `drover run --detach` prints it
  01kx4       the start of an id, with or without run_, if it is unique
  nightly     the name given with --name, if only one run has it
  @last       the newest run
  @failed     the newest run that failed, timed out or was abandoned

A full id always means the same run, even after the run was removed. The other
forms can mean another run later, so store full ids in scripts:

  id=$(drover run --detach -- make test)
  drover wait "$id"
)";
}

std::string exit_codes() {
  return R"(`drover run`, `drover wait` and `drover attach` exit with the exit code of the
command. In these cases they use another exit code:

  123         with --each: at least one run failed
  124         the run timed out, or the time of `wait --timeout` is over
  125         the run could not be started, was stopped at a limit, or nobody
              knows its exit code
  126         the program is not executable
  127         the program was not found
  128+N       signal N killed the command: 137 is KILL, 143 is TERM
  130         the run was canceled

Every command uses these exit codes for its own errors:

  2           invalid arguments, or a limit of Drover was exceeded
  5           the run, lane, token or project was not found
  6           the request conflicts with the current state
  7           no daemon is running, and this command may not start one
  125         the daemon could not answer the request
)";
}

std::string environment() {
  std::string out = R"(The drover command and its daemon read these variables:

  DROVER_HOME           store everything in this directory (an absolute path)
  DROVER_TOKEN          the token to authenticate with
  DROVER_CGROUP         the cgroup directory of the daemon, or off
  NO_COLOR              if not empty, print no colors
  CLICOLOR_FORCE        if set and not 0, print colors into pipes too
  COLUMNS               the width of the terminal
  TRACEPARENT           the W3C trace that new runs belong to
  XDG_CONFIG_HOME, XDG_STATE_HOME, XDG_RUNTIME_DIR
                        the base directories, if DROVER_HOME is not set

These variables override a setting of config.toml. Command line options override
both. `drover config show --origin` prints where each value is set.

)";
  for (const config::Setting& setting : config::kSettings) {
    out += fmt::format("  {:<25} {}\n", setting.variable, setting.name);
  }
  out += R"(
Drover sets these variables for the command of each run:

  DROVER_RUN_ID         the full id of the run
  DROVER_TRACE_ID       the id of the trace
  DROVER_TOKEN          a token for this run and the runs that it starts
  DROVER_ATTEMPT        the number of the attempt, for runs with --retry
  TRACEPARENT           the trace, as W3C trace context

All other variables are those of the shell that typed `drover run`.
)";
  return out;
}

std::string retries() {
  return fmt::format(
      R"(A run that was started with --retry N is tried again up to N times:

  drover run --retry 3 --backoff 10s -- ./fetch

Each attempt is a run with its own id, output and exit code. --retry-on lists
the endings that lead to another attempt: failed, timed_out, abandoned. The
default is failed,timed_out. A canceled run is never tried again.

Before the second attempt Drover waits for the time of --backoff (default {}).
It doubles the time before each further attempt, up to {}, and shortens it at
random by up to half, so that many runs do not start together.

  drover ps --attempts      lists every attempt, not only the latest
  drover wait --final RUN   waits for the last attempt
  drover cancel RUN         stops the current attempt and prevents further ones
  drover retry RUN          runs the command of a finished run once more

--retry accepts at most {}.
)",
      format_duration(limits::kBackoffMs), format_duration(limits::kBackoffMaxMs),
      limits::kRetriesMax);
}

std::string limits_page() {
  return fmt::format(
             R"(Options of `drover run` limit the resources of a run:

  --timeout           duration, at most {}; then the run is stopped
  --idle-timeout      the same, counted since the run last printed something
  --memory            size from {} to {}, for all processes together
  --cpus              number of cores from 0.01 to {}
  --pids              processes and threads, from 1 to {}
  --nice              niceness from {} to {}; below 0 needs a privilege
  --output-limit      size from {} to {}; default {}

Memory, cores and processes are limited with cgroup v2. If the daemon may not
create cgroups, --memory limits each process on its own, and --cpus and --pids
have no effect; `drover run` then prints a warning. `drover doctor` checks it.

A duration is a number with a unit, or several: 250ms, 90s, 1.5h, 1h30m, 2d.
A size is a number of bytes or a number with K, M, G or T: 512M, 1.5G, 2GB.
Each letter is 1024 times the one before it; 2G, 2GB and 2GiB are the same.
)",
             format_duration(limits::kDurationMaxMs), format_size(limits::kMemoryBytesMin),
             format_size(limits::kMemoryBytesMax), limits::kCpuMilliMax / 1000, limits::kPidsMax,
             limits::kNiceMin, limits::kNiceMax, format_size(limits::kOutputLimitMin),
             format_size(limits::kOutputLimitMax), format_size(limits::kOutputBytesMax)) +
         fmt::format(
             R"(
Drover itself has these limits:

  queued runs         {}
  runs at a time      {} in the lane `default`, {} in a new lane
  priority            from -{} to {}
  dependencies        {} for each run (--after and --after-any)
  arguments           {} for each command
  name                {} bytes
  labels              {} for each run, {} bytes each
  finished runs       {} for each scope, for {} (retention.count, .age)
)",
             limits::kQueuedMax, limits::kDefaultLaneLimit, limits::kNewLaneLimit,
             limits::kPriorityMax, limits::kPriorityMax, limits::kDependenciesMax,
             limits::kArgumentsMax, limits::kNameBytesMax, limits::kLabelsMax,
             limits::kLabelBytesMax, limits::kFinishedPerScopeMax,
             format_duration(limits::kFinishedAgeMaxMs));
}

constexpr auto kTopics = std::to_array<Topic>({
    {"handles", "Name a run in a command", handles},
    {"exit-codes", "Read the exit codes of drover", exit_codes},
    {"environment", "Use the environment variables of Drover", environment},
    {"retries", "Try failed runs again", retries},
    {"limits", "Limit the resources of a run", limits_page},
});

}  // namespace

std::span<const Topic> topics() {
  return kTopics;
}

const Topic* find_topic(std::string_view name) {
  const auto found = std::ranges::find(kTopics, name, &Topic::name);
  return found == kTopics.end() ? nullptr : &*found;
}

std::string topic_page(const Topic& topic) {
  return fmt::format("{}: {}\n\n{}", topic.name, topic.summary, topic.text());
}

}  // namespace drover::cli
