#include "cli/help/topic_texts.h"

#include <fmt/core.h>

#include "base/clock.h"
#include "base/limits.h"
#include "config/settings.h"

namespace drover::cli::topic_texts {

std::vector<Section> handles() {
  return {
      {.text = "Every run has an id, its handle. Wherever a command takes RUN, write one of these:",
       .rows = {{"run_01kx…", "the full id, as `drover run --detach` prints it"},
                {"01kx4", "the start of an id, with or without run_, if it is unique"},
                {"nightly", "the name given with --name; of several runs, the only active one"},
                {"@last", "the newest run"},
                {"@failed",
                 "the newest run that failed, timed out or was abandoned, and was not retried"}}},
      {.text = "A full id always means the same run, even after the run was removed. The other "
               "forms can mean another run later, so store full ids in scripts:",
       .commands = {"id=$(drover run --detach -- make test)", "drover wait \"$id\""}},
  };
}

std::vector<Section> exit_codes() {
  return {
      {.text = "`drover run`, `drover wait` and `drover attach` exit with the exit code of the "
               "command, and `drover play` with that of the runtime or of the step that failed. In "
               "these cases they use another exit code:",
       .rows = {{"123", "with --each: at least one run failed"},
                {"124",
                 "the run timed out, `wait --timeout` or `play stop` stopped waiting, or the "
                 "question of `ask --wait` expired"},
                {"125",
                 "the run could not be started or was stopped at a limit, or its exit code is "
                 "unknown"},
                {"126", "the program is not executable"},
                {"127", "the program was not found"},
                {"128+N",
                 "signal N killed the command (137 is KILL, 143 is TERM), or it detached drover "
                 "from a run that keeps running"},
                {"130",
                 "the run was canceled, the play was stopped, the question of `ask --wait` was "
                 "dismissed or withdrawn, or Ctrl-C detached `attach` or `play`; the detach keys "
                 "exit with 0"}}},
      {.text = "Every command uses these exit codes for its own errors:",
       .rows = {{"1",
                 "`drover doctor` found a problem, `drover stop --kill` could not kill a process, "
                 "or `drover project manifest` failed"},
                {"2",
                 "invalid arguments, a limit of Drover was exceeded, `drover trigger validate` "
                 "found a problem, or the token is invalid or does not permit the request"},
                {"5",
                 "the run, lane, token, project, trigger, question, memory or setting was not "
                 "found"},
                {"6", "the request conflicts with the current state"},
                {"7", "no daemon is running: it did not start, or this command may not start one"},
                {"125", "the daemon could not answer the request"}}},
  };
}

std::vector<Section> environment() {
  std::vector<Row> settings;
  for (const config::Setting& setting : config::kSettings) {
    settings.push_back({std::string(setting.variable), std::string(setting.name)});
  }
  return {
      {.text = "The drover command and its daemon read these variables:",
       .rows = {{"DROVER_HOME", "store everything in this directory (an absolute path)"},
                {"DROVER_TOKEN", "the token to authenticate with"},
                {"DROVER_CGROUP", "the cgroup directory of the daemon, or off"},
                {"NO_COLOR", "if not empty, print no colors"},
                {"CLICOLOR_FORCE", "if set and not 0, print colors into pipes too"},
                {"COLUMNS", "the width of the terminal"},
                {"PAGER", "the program that shows long help pages (default less)"},
                {"TRACEPARENT", "the W3C trace that new runs belong to"}}},
      {.text = "If DROVER_HOME is not set, these base directories contain a directory `drover`:",
       .rows = {{"XDG_CONFIG_HOME", "for the settings (default ~/.config)"},
                {"XDG_STATE_HOME", "for the records and output of runs (default ~/.local/state)"},
                {"XDG_RUNTIME_DIR", "for the socket"}}},
      {.text =
           "Each variable on the left overrides the setting of config.toml on the right. Command "
           "line options override both. `drover config show --origin` prints where each value "
           "is set.",
       .rows = std::move(settings)},
      {.text = "Drover sets these variables for the command of each run:",
       .rows = {{"DROVER_RUN_ID", "the full id of the run"},
                {"DROVER_TRACE_ID", "the id of the trace"},
                {"DROVER_TOKEN", "a token for this run and the runs that it starts"},
                {"DROVER_SOCKET", "the daemon's socket, for programs that call the API"},
                {"DROVER_ATTEMPT", "the number of the attempt, for runs with --retry"},
                {"DROVER_SECRET_ENV",
                 "names of the variables set with -e or --env-file; their values are hidden"},
                {"DROVER_TRIGGER",
                 "for runs that a trigger started: its due time or event, as JSON"},
                {"DROVER_TRIGGER_FILE",
                 "the file with the event, if it is too long for a variable"},
                {"TRACEPARENT", "the trace, as W3C trace context"}}},
      {.text = "All other variables are those of the shell that called `drover run`."},
  };
}

std::vector<Section> retries() {
  return {
      {.text = "A run that was started with --retry N is tried again up to N times:",
       .commands = {"drover run --retry 3 --backoff 10s -- ./fetch"}},
      {.text = fmt::format(
           "Each attempt is a run with its own id, output and exit code. --retry-on lists the "
           "endings that lead to another attempt: failed, timed_out, abandoned. The default is "
           "failed,timed_out. A canceled run is never tried again.\n\n"
           "Before the second attempt Drover waits for the time of --backoff (default {}). It "
           "doubles the time before each further attempt, up to {}, and shortens it at random by "
           "up to half, so that many runs do not start together.",
           format_duration(limits::kBackoffMs), format_duration(limits::kBackoffMaxMs)),
       .rows = {{"drover ps --attempts", "lists every attempt, not only the latest"},
                {"drover wait --final RUN", "waits for the last attempt"},
                {"drover cancel RUN", "stops the current attempt and prevents further ones"},
                {"drover retry RUN", "runs the command of a finished run once more"}}},
      {.text = fmt::format("--retry accepts at most {}.", limits::kRetriesMax)},
  };
}

}  // namespace drover::cli::topic_texts
