// drover run: start a command and stay with it, or not.
#include <unistd.h>

#include <algorithm>
#include <array>

#include "base/fd.h"
#include "base/id.h"
#include "base/limits.h"
#include "base/text.h"
#include "cli/commands/commands.h"
#include "cli/commands/run_each.h"
#include "cli/environment.h"
#include "cli/fields.h"
#include "cli/notify.h"
#include "cli/plan.h"
#include "cli/resource_limits.h"
#include "cli/terminal/attached.h"
#include "cli/terminal/raw_terminal.h"
#include "cli/views/run_view.h"
#include "cli/views/table.h"
#include "wire/operations/runs.h"
#include "wire/word.h"

namespace drover::cli {
namespace {

using boost::json::object;

constexpr auto kOptions = std::to_array<Option>({
    {"detach", 'd', Takes::nothing, "", "print the run's id and leave it to itself"},
    {"name", 0, Takes::text, "NAME", "what to call it in tables", "name"},
    {"lane", 0, Takes::text, "LANE", "the queue it waits in", "lane"},
    {"priority", 0, Takes::text, "N", "above 0 goes before the others of its lane, below behind",
     "priority"},
    {"after", 0, Takes::many, "RUN", "begin once it has completed; may be repeated", "after"},
    {"after-any", 0, Takes::many, "RUN", "begin once it has ended, however; may be repeated",
     "after_any"},
    {"retry", 0, Takes::text, "N", "if it does not succeed, try again up to N times", "retry.max"},
    {"backoff", 0, Takes::text, "1s", "before the first of these, then twice as long each time",
     "retry.backoff"},
    {"retry-on", 0, Takes::text, "ENDS", "failed,timed_out unless said otherwise; abandoned",
     "retry.on"},
    {"label", 'l', Takes::many, "K=V", "for finding it again; may be repeated", "labels"},
    {"cwd", 0, Takes::text, "FOLDER", "run it there instead of here", "cwd"},
    {"env", 'e', Takes::many, "K=V", "set a variable; may be repeated", "env"},
    {"timeout", 0, Takes::text, "10s", "end it after this long", "timeout"},
    {"idle-timeout", 0, Takes::text, "10s", "end it after this long without output",
     "idle_timeout"},
    {"grace", 0, Takes::text, "2s", "between asking it to end and killing it", "grace"},
    {"memory", 0, Takes::text, "512M", "it may use no more memory than this", "limits.memory"},
    {"cpus", 0, Takes::text, "1.5", "nor more processor time than so many cores have",
     "limits.cpus"},
    {"pids", 0, Takes::text, "100", "nor have more processes and threads at once", "limits.pids"},
    {"nice", 0, Takes::text, "5", "let others go first: 1 to 19", "limits.nice"},
    {"output-limit", 0, Takes::text, "10M", "keep no more of its output: the head and the tail",
     "limits.output"},
    {"on-output-limit", 0, Takes::text, "WHAT", "when it prints more: keep (it goes on), end",
     "limits.on_output"},
    {"shell", 0, Takes::nothing, "", "give the words to /bin/sh -c", "shell"},
    {"stdin", 'i', Takes::nothing, "", "pass our standard input on to it"},
    {"pty", 't', Takes::nothing, "", "give it a terminal of its own"},
    {"detach-keys", 0, Takes::text, "KEYS", "with --pty: leave it running; ctrl-p,ctrl-q"},
    {"scope", 0, Takes::text, "SCOPE", "whose run it is, such as app/reports", "scope"},
    {"key", 0, Takes::text, "KEY", "asking again with the same key starts nothing new"},
    {"each", 0, Takes::nothing, "",
     "once for every line of standard input, which comes last or for {}"},
    {"each-file", 0, Takes::text, "FILE", "the same, for every line of a file"},
    {"null", '0', Takes::nothing, "", "with --each: inputs end in NUL, not in newline"},
    {"jobs", 'j', Takes::text, "N", "with --each: so many at once; the number of cores"},
    {"notify", 0, Takes::nothing, "", "when it has ended, tell the desktop, or else the terminal"},
    {"on-restart", 0, Takes::text, "WHAT", "if it still waits when the daemon dies: requeue, fail",
     "on_restart"},
});

Result<std::string> directory(const std::optional<std::string>& wished) {
  if (wished && wished->starts_with('/')) return *wished;
  std::string here(limits::kPathBytesMax, '\0');
  if (::getcwd(here.data(), here.size()) == nullptr) {
    return fail_errno("cannot find the current directory; use --cwd", errno);
  }
  here.resize(here.find('\0'));
  return wished ? here + "/" + *wished : here;
}

Result<object> request(Screen& screen, const Arguments& arguments) {
  object out;
  if (arguments.has("shell")) {
    std::string script;
    for (const std::string& word : arguments.words) script += (script.empty() ? "" : " ") + word;
    if (!is_utf8(script))
      return fail_invalid("shell", "the script is not valid UTF-8; save it in a file and run that");
    out["shell"] = script;
  } else {
    boost::json::array command;
    for (const std::string& word : arguments.words) command.push_back(wire::word_of(word));
    out["command"] = std::move(command);
  }
  const Result<std::string> cwd = directory(arguments.text("cwd"));
  if (!cwd) return std::unexpected(cwd.error());
  if (auto ok = check_text(*cwd, "cwd"); !ok) return std::unexpected(ok.error());
  out["cwd"] = *cwd;
  object env = own_environment(screen);
  if (auto ok = add_pairs(env, arguments.all("env"), "env"); !ok) {
    return std::unexpected(ok.error());
  }
  out["env"] = std::move(env);
  out["inherit_env"] = false;  // All of it is ours: a command behaves as in its shell (R15).
  object labels;
  if (auto ok = add_pairs(labels, arguments.all("label"), "label"); !ok) {
    return std::unexpected(ok.error());
  }
  if (!labels.empty()) out["labels"] = std::move(labels);
  if (arguments.has("stdin")) out["stdin"] = "pipe";
  if (arguments.has("pty")) {
    const TerminalSize size = size_of_terminal();
    out["pty"] = object{{"rows", size.rows}, {"cols", size.columns}};
  }
  if (auto ok = add_plan(out, arguments); !ok) return std::unexpected(ok.error());
  // The others go as they were typed, each under its own name.
  for (const Option& option : kOptions) {
    const auto text = option.takes == Takes::text ? arguments.text(option.name) : std::nullopt;
    if (!text || option.field.empty()) continue;
    const size_t dot = option.field.find('.');
    const std::string_view group = option.field.substr(0, dot);
    if (out.contains(group) && group != "limits") continue;
    if (auto ok = check_text(*text, option.name); !ok) return std::unexpected(ok.error());
    if (dot == std::string_view::npos) {
      out[group] = *text;
    } else {
      object& limits = out.contains(group) ? out[group].get_object() : out[group].emplace_object();
      limits[option.field.substr(dot + 1)] = *text;
    }
  }
  return out;
}

// Until its end; of a run that is tried again, that of its last attempt.
Result<std::optional<object>> until_end(Context& context, Interrupts& interrupts, std::string& run,
                                        Attached::AttachOptions wishes, bool& detached,
                                        int& left_by) {
  for (int tries = 1;; ++tries) {
    Attached attached(context, interrupts, run, wishes);
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
    wishes.cancels = attached.cancels();
    context.screen.notice(run + " " + text_in(**end, "state") + ": " + text_in(**end, "message") +
                          (wishes.cancels > 0 ? "; canceling " : "; retrying as ") + next);
    run = next;
  }
}

Result<int> stay(Context& context, Interrupts& interrupts, std::string run,
                 const Arguments& arguments, const Attached::AttachOptions& wishes) {
  bool detached = false;
  int left_by = 0;
  const Result<std::optional<object>> end =
      until_end(context, interrupts, run, wishes, detached, left_by);
  if (!end) {
    context.screen.notice(run + " keeps running; `drover wait " + run + "` waits for it");
    return std::unexpected(end.error());
  }
  if (detached) {
    context.screen.notice("detached; `drover attach " + run + "` attaches again");
    return 0;
  }
  if (!*end) return 128 + left_by;
  if (arguments.has("notify")) {
    std::string words;
    for (const std::string& word : arguments.words) words += (words.empty() ? "" : " ") + word;
    notify_end(**end, arguments.text("name").value_or(words));
  }
  if (context.json) {
    const auto record = context.client.call(wire::runs::get, {.segment = run});
    if (!record) return std::unexpected(record.error());
    if (auto done = context.screen.print(record->body + "\n"); !done) return exit_code_of(**end);
  } else if (const std::string line = epitaph(**end); !line.empty()) {
    context.screen.notice(run + " " + line);
  }
  if (const std::string line = missing_output(**end); !line.empty()) {
    context.screen.notice(run + ": " + line);
  }
  return exit_code_of(**end);
}

// What is not typed is as the settings have it.
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
  Result<object> body = request(context.screen, arguments);
  if (!body) return std::unexpected(body.error());
  if (arguments.has("each") || arguments.has("each-file")) {
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
  // With a key of our own, a request whose answer was lost can be made again without harm.
  Call call{.body = json_text(*body),
            .key = arguments.text("key").value_or("cli-" + random_hex(32))};
  const Result<object> made = context.client.ask(wire::runs::create, call);
  if (!made) return std::unexpected(made.error());
  const std::string id = text_in(*made, "run_id");
  if (const std::string loose = say_unheld(*made); !loose.empty() && !context.json) {
    context.screen.notice(loose + " cannot be enforced here; `drover doctor` says why");
  }
  if (!detach) {
    return stay(context, *interrupts, id, arguments,
                {.silent = context.json,
                 .forward = pty || arguments.has("stdin"),
                 .terminal = pty,
                 .keys = std::move(*keys)});
  }
  const std::string line = context.json ? json_text(*made) : id;
  if (auto done = context.screen.print(line + "\n"); !done) return std::unexpected(done.error());
  // What it was to wait for has failed already, say.
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
    .help =
        "Start a command and stay with it: its output is ours, its exit code too.\n"
        "Ctrl-C cancels it and waits; a second Ctrl-C kills it. It outlives the terminal.\n"
        "With --pty every key goes to it; Ctrl-P Ctrl-Q leaves it, `drover attach` comes back.\n"
        "With --each it is a run for every input: what they print is kept, those that fail are "
        "listed,\n"
        "and the exit code is 0 or 123. With --shell the input is \"$1\".",
    .options = kOptions,
    .words_min = 1,
    .words_max = kAnyNumber,
    .foreign_words = true,
    .run = run,
};

}  // namespace drover::cli
