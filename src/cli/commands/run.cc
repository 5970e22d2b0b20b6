// drover run: starts a command, and waits for it or detaches.
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>

#include "base/fd.h"
#include "base/id.h"
#include "base/limits.h"
#include "cli/commands/commands.h"
#include "cli/commands/run_each.h"
#include "cli/environment.h"
#include "cli/fields.h"
#include "cli/notify.h"
#include "cli/resource_limits.h"
#include "cli/run_fields.h"
#include "cli/terminal/attached.h"
#include "cli/terminal/raw_terminal.h"
#include "cli/views/run_view.h"
#include "cli/views/table.h"
#include "wire/operations/runs.h"

namespace drover::cli {
namespace {

using boost::json::object;

constexpr std::string_view kTerminal = "Terminal";
constexpr std::string_view kWhere = "Where it runs";
constexpr std::string_view kWhen = "When it starts";
constexpr std::string_view kLimits = "Limits";
constexpr std::string_view kRetries = "Retries";
constexpr std::string_view kNaming = "Names and labels";
constexpr std::string_view kEach = "One run for each input";

constexpr auto kOptions = std::to_array<Option>({
    {"detach", 'd', Takes::nothing, "", "Print the run's id and return at once", "", kTerminal},
    {"stdin", 'i', Takes::nothing, "",
     "Pass standard input to the command; without it the command gets none", "", kTerminal},
    {"pty", 't', Takes::nothing, "", "Give the command a terminal of its own", "", kTerminal},
    {"detach-keys", 0, Takes::text, "KEYS", "With --pty: keys that detach (default ctrl-p,ctrl-q)",
     "", kTerminal},
    {"notify", 0, Takes::nothing, "", "Send a desktop or terminal notification at the end", "",
     kTerminal},
    {"cwd", 0, Takes::text, "DIR", "Run in this directory", "cwd", kWhere},
    {"env", 'e', Takes::many, "K=V", "Set a variable, whose value is never shown; may be repeated",
     "env", kWhere},
    {"env-file", 0, Takes::many, "FILE", "Set the variables in FILE, as --env; may be repeated", "",
     kWhere},
    {"shell", 0, Takes::nothing, "", "Run the words as a script with `/bin/sh -c`", "shell",
     kWhere},
    {"lane", 0, Takes::text, "LANE", "Queue to wait in (default: the lane `default`)", "lane",
     kWhen},
    {"priority", 0, Takes::text, "N", "Higher starts first within the lane (default 0)", "priority",
     kWhen},
    {"after", 0, Takes::many, "RUN", "Start after this run has completed; may be repeated", "after",
     kWhen},
    {"after-any", 0, Takes::many, "RUN",
     "Start after this run has finished, even if it failed; may be repeated", "after_any", kWhen},
    {"on-restart", 0, Takes::text, "requeue|fail",
     "If the daemon dies before the run has started: queue it again (default), or fail it",
     "on_restart", kWhen},
    {"timeout", 0, Takes::text, "DURATION", "Stop the run after this time, such as 90s or 1h30m",
     "timeout", kLimits},
    {"idle-timeout", 0, Takes::text, "DURATION", "Stop the run after this time without output",
     "idle_timeout", kLimits},
    {"grace", 0, Takes::text, "DURATION", "Time between TERM and KILL (default 2s)", "grace",
     kLimits},
    {"memory", 0, Takes::text, "SIZE", "Memory limit, such as 512M or 1.5G (1G is 1024M)",
     "limits.memory", kLimits},
    {"cpus", 0, Takes::text, "N", "Limit in cores, such as 1.5", "limits.cpus", kLimits},
    {"pids", 0, Takes::text, "N", "Limit of processes and threads", "limits.pids", kLimits},
    {"nice", 0, Takes::text, "N", "Niceness, up to 19: let other programs run first", "limits.nice",
     kLimits},
    {"output-limit", 0, Takes::text, "SIZE", "Store only the first and last part of longer output",
     "limits.output", kLimits},
    {"on-output-limit", 0, Takes::text, "keep|end",
     "At the output limit: keep running (default) or stop the run", "limits.on_output", kLimits},
    {"retry", 0, Takes::text, "N", "Try a failed run again up to N times", "retry.max", kRetries},
    {"backoff", 0, Takes::text, "DURATION",
     "Wait before the first retry, then twice as long "
     "each time (default 1s)",
     "retry.backoff", kRetries},
    {"retry-on", 0, Takes::text, "LIST",
     "States to retry: failed, timed_out, abandoned (default failed,timed_out)", "retry.on",
     kRetries},
    {"name", 0, Takes::text, "NAME", "Name of the run, shown in lists and usable as RUN", "name",
     kNaming},
    {"label", 'l', Takes::many, "K=V", "Label to find the run by; may be repeated", "labels",
     kNaming},
    {"scope", 0, Takes::text, "SCOPE", "Scope that the run belongs to, such as team/reports",
     "scope", kNaming},
    {"key", 0, Takes::text, "KEY", "Idempotency key: a second request with it starts nothing new",
     "", kNaming},
    {"each", 0, Takes::nothing, "", "Run once for every line of standard input", "", kEach},
    {"each-file", 0, Takes::text, "FILE", "Run once for every line of FILE", "", kEach},
    {"null", '0', Takes::nothing, "", "Inputs end with a NUL byte instead of a newline", "", kEach},
    {"jobs", 'j', Takes::text, "N", "Run N at a time (default: the number of cores)", "", kEach},
});

Result<> check_input(const Arguments& arguments) {
  if (!arguments.has("stdin") || !arguments.has("pty")) return {};
  return fail_invalid("stdin",
                      "--stdin and --pty cannot be combined: with --pty the command reads what you "
                      "type; remove --stdin");
}

// An empty value would count as none: refuse it, because a variable of a script may be empty.
Result<> check_not_empty(const Arguments& arguments) {
  for (const char* option : {"name", "key"}) {
    if (arguments.text(option) != "") continue;
    return fail_invalid(option, "--" + std::string(option) + " is empty; give a value or omit it");
  }
  return {};
}

Result<object> request(Screen& screen, const Arguments& arguments, bool exact) {
  if (auto ok = check_not_empty(arguments); !ok) return std::unexpected(ok.error());
  if (auto ok = check_input(arguments); !ok) return std::unexpected(ok.error());
  auto out = run_fields(arguments, kOptions, arguments.words);
  if (!out) return out;
  object env = own_environment(screen);
  if (auto ok = add_env_files(env, arguments.all("env-file")); !ok) {
    return std::unexpected(ok.error());
  }
  if (auto ok = add_pairs(env, arguments.all("env"), "env"); !ok) {
    return std::unexpected(ok.error());
  }
  (*out)["env"] = std::move(env);
  (*out)["inherit_env"] = false;  // We send our whole environment, as a shell would (R15).
  if (arguments.has("stdin")) (*out)["stdin"] = "pipe";
  if (exact) (*out)["exact_output"] = true;
  if (arguments.has("pty")) {
    const TerminalSize size = size_of_terminal();
    (*out)["pty"] = object{{"rows", size.rows}, {"cols", size.columns}};
  }
  return out;
}

// Waits until the run has finished; if it is retried, until its last attempt has.
Result<std::optional<object>> until_end(Context& context, Interrupts& interrupts, std::string& run,
                                        Attached::AttachOptions options, bool& detached,
                                        int& left_by) {
  for (int tries = 1;; ++tries) {
    Attached attached(context, interrupts, run, options);
    Result<std::optional<object>> end = attached.until_end();
    detached = attached.detached();
    left_by = attached.left_by();
    if (!end || !*end) return end;
    const std::string next = text_in(**end, "retried_by");
    if (next.empty() && tries > 1 && text_in(**end, "reason") == "exit_nonzero") {
      context.screen.notice(run + " failed: " + text_in(**end, "message") +
                            "; it was the last of " + std::to_string(tries) + " attempts");
    }
    if (next.empty()) return end;
    options.cancels = attached.cancels();
    context.screen.notice(run + " " + say_end(**end) +
                          (options.cancels > 0 ? "; canceling " : "; retrying as ") + next);
    run = next;
  }
}

// Whether the caller's standard input contains bytes that the command does not get: a pipe with
// data, or a file that nobody has read from. A loop such as `while read` has read from it.
bool drops_input() {
  struct stat info{};
  if (::fstat(STDIN_FILENO, &info) != 0) return false;
  if (S_ISREG(info.st_mode)) return info.st_size > 0 && ::lseek(STDIN_FILENO, 0, SEEK_CUR) == 0;
  int waiting = 0;
  return S_ISFIFO(info.st_mode) && ::ioctl(STDIN_FILENO, FIONREAD, &waiting) == 0 && waiting > 0;
}

void warn_of_dropped_input(Context& context, const Arguments& arguments) {
  if (context.json || arguments.has("stdin") || arguments.has("pty") || !drops_input()) return;
  context.screen.notice("the command does not get the standard input; --stdin passes it");
}

Result<int> stay(Context& context, Interrupts& interrupts, std::string run,
                 const Arguments& arguments, const Attached::AttachOptions& options) {
  bool detached = false;
  int left_by = 0;
  const Result<std::optional<object>> end =
      until_end(context, interrupts, run, options, detached, left_by);
  if (!end) {
    context.screen.notice(run + " keeps running; `drover wait " + run + "` waits for it");
    return std::unexpected(end.error());
  }
  if (detached) {
    context.screen.notice("detached; `drover attach " + run + "` attaches again");
    return 0;
  }
  if (!*end) return 128 + left_by;
  warn_of_dropped_input(context, arguments);  // By now, a program before us in a pipe has written.
  if (arguments.has("notify")) {
    // The title as the daemon shows it: without secrets.
    const auto record = context.client.ask(wire::runs::get, {.segment = run});
    notify_end(**end, record ? title_of(*record) : run);
  }
  if (context.json) {
    const auto record = context.client.call(wire::runs::get, {.segment = run});
    if (!record) return std::unexpected(record.error());
    if (auto done = context.screen.print(escape_controls(record->body) + "\n"); !done)
      return exit_code_of(**end);
  } else if (const std::string line = end_notice(**end); !line.empty()) {
    context.screen.notice(run + " " + line);
  }
  return exit_code_of(**end);
}

// Options that are not given get their values from the settings.
Result<Arguments> with_settings(const Context& context, const Arguments& typed) {
  if (!context.settings) return std::unexpected(context.settings.error());
  Arguments out = typed;
  for (const auto& [option, setting] : {std::pair("lane", "run.lane"),
                                        {"timeout", "run.timeout"},
                                        {"idle-timeout", "run.idle_timeout"},
                                        {"grace", "run.grace"}}) {
    const auto chosen = context.settings->chosen(setting);
    if (chosen && !typed.has(option)) out.options[option] = {*chosen};
  }
  return out;
}

Result<int> run(Context& context, const Arguments& typed) {
  const Result<Arguments> filled = with_settings(context, typed);
  if (!filled) return std::unexpected(filled.error());
  const Arguments& arguments = *filled;
  const bool each = arguments.has("each") || arguments.has("each-file");
  // We print all of its output, however little of it the run keeps.
  const bool exact = !each && !arguments.has("detach") && !context.json;
  Result<object> body = request(context.screen, arguments, exact);
  if (!body) return std::unexpected(body.error());
  if (each) {
    return run_each(context, arguments, std::move(*body));
  }
  for (const char* option : {"null", "jobs"}) {
    if (arguments.has(option)) {
      return fail_invalid(option, "--" + std::string(option) + " requires --each");
    }
  }
  const bool detach = arguments.has("detach");
  if (detach && arguments.has("notify")) {
    return fail_invalid(
        "notify", "--notify cannot be combined with --detach; use `drover wait --notify RUN`");
  }
  std::optional<Interrupts> interrupts;
  const bool pty = arguments.has("pty");
  auto keys = DetachKeys::parse(arguments.text("detach-keys").value_or(std::string(kDetachKeys)));
  if (!keys) return std::unexpected(keys.error());
  if (!detach) interrupts.emplace(pty);
  // With an idempotency key, a request whose answer was lost can safely be repeated.
  Call call{.body = json_text(*body),
            .key = arguments.text("key").value_or("cli-" + random_hex(32))};
  const Result<object> made = context.client.ask(wire::runs::create, call);
  if (!made) return std::unexpected(made.error());
  const std::string id = text_in(*made, "run_id");
  if (const std::string unenforced = say_unenforced(*made); !unenforced.empty() && !context.json) {
    context.screen.notice(unenforced + " cannot be enforced here; `drover doctor` says why");
  }
  if (!detach) {
    return stay(context, *interrupts, id, arguments,
                {.silent = context.json,
                 .forward = pty || arguments.has("stdin"),
                 .terminal = pty,
                 .exact = exact,
                 .keys = std::move(*keys)});
  }
  warn_of_dropped_input(context, arguments);
  const std::string line = context.json ? json_text(*made) : id;
  if (auto done = context.screen.print(line + "\n"); !done) return std::unexpected(done.error());
  // The run may have finished at once, for example because a dependency has failed.
  if (has_ended(*made) && !context.json) {
    context.screen.notice(id + " is already " + text_in(*made, "state") + "; `drover why " + id +
                          "` says why");
  }
  return 0;
}

}  // namespace

const Command kRun{
    .name = "run",
    .words = "[--] COMMAND…",
    .group = Group::everyday,
    .summary = "Run a command and wait for it, or detach",
    .help =
        "Run a command, print its output and exit with its exit code.\n\n"
        "With --json, Drover prints the record of the run instead of the output.\n\n"
        "Ctrl-C cancels the run and waits for it; a second Ctrl-C kills it. If you close the "
        "terminal, the run keeps running. With --pty the command gets every key: Ctrl-P Ctrl-Q "
        "detaches, and `drover attach` attaches again.\n\n"
        "With --each, Drover starts one run for each line of input. The line replaces {} or is "
        "the last argument; with --shell it is \"$1\". Empty lines are skipped. Drover stores the "
        "output, lists the runs that failed, and exits with 0 or 123.\n\n"
        "`drover help limits`, `drover help retries` and `drover help exit-codes` explain the "
        "details.",
    .examples = {{{"drover run -- make test", "Run the tests; exit with their exit code."},
                  {"drover run -d --name nightly --timeout 1h30m -- ./backup",
                   "Start a backup in the background, for at most 90 minutes."},
                  {"ls *.wav | drover run --each -j 4 -- lame {}",
                   "Encode all files, four at a time."}}},
    .options = kOptions,
    .words_min = 1,
    .words_max = kAnyNumber,
    .foreign_words = true,
    .run = run,
};

}  // namespace drover::cli
