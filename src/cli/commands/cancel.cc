// drover cancel: cancel runs with all their processes.
#include <unistd.h>

#include <array>

#include "base/fd.h"
#include "cli/commands/commands.h"
#include "cli/commands/listing.h"
#include "cli/context.h"
#include "cli/explain.h"
#include "cli/fields.h"
#include "cli/views/run_view.h"
#include "cli/views/words.h"
#include "cli/waiting.h"
#include "wire/operations/runs.h"

namespace drover::cli {
namespace {

using boost::json::object;

constexpr auto kOptions = std::to_array<Option>({
    {"scope", 0, Takes::text, "SCOPE", "Cancel every active run of this scope and below it",
     "scope"},
    {"all", 0, Takes::nothing, "", "Cancel every active run, after asking"},
    {"yes", 'y', Takes::nothing, "", "With --all: do not ask"},
    {"grace", 0, Takes::text, "DURATION", "Time between TERM and KILL (default 2s)", "grace"},
    {"no-wait", 0, Takes::nothing, "", "Return at once; do not wait until the runs have finished"},
});

// The outcome in one sentence.
std::string sentence(const object& answer, const object& record) {
  const std::string id = text_in(answer, "run_id");
  if (text_in(answer, "outcome") == "not_cancellable") {
    return id + " is part of another run and cannot be canceled by itself";
  }
  if (text_in(answer, "outcome") == "already_finished") {
    return id + " had already finished" +
           (record.empty() ? "" : " (" + text_in(record, "state") + ")");
  }
  if (record.empty()) return id + " is being canceled";
  std::string out = id + " " + text_in(record, "state");
  const object& receipt = object_in(record, "receipt");
  if (const auto n = number_in(receipt, "signalled"); n.value_or(0) > 0) {
    const bool killed = !text_in(receipt, "kill_at").empty();
    out += ", " + say_count(*n, "process", "processes") + (killed ? " killed" : " stopped");
  }
  if (const auto n = number_in(receipt, "survivors"); n.value_or(0) > 0) {
    out += ", " + say_count(*n, "process", "processes") + " could not be killed";
  }
  return out;
}

// Prints the outcome, with `wait` once the run has finished.
Result<> tell(Context& context, object answer, bool wait) {
  object record;
  if (wait) {
    // Use the full id: a prefix or @last may name another run by now.
    Result<object> ended = await_end(context, text_in(answer, "run_id"));
    if (!ended) return std::unexpected(ended.error());
    record = std::move(*ended);
    answer["state"] = record["state"];
    answer["receipt"] = record["receipt"];
  }
  const std::string line = context.json ? json_text(answer) : sentence(answer, record);
  return context.screen.print(line + "\n");
}

// "3 runs are being canceled"
std::string say_outcome(std::string_view outcome, std::int64_t n) {
  if (outcome == "canceled") return say_count(n, "run", "runs") + " canceled";
  if (outcome == "cancel_requested") return say_count(n, "run is", "runs are") + " being canceled";
  if (outcome == "already_finished") return say_count(n, "run", "runs") + " had already finished";
  if (outcome == "not_cancellable") {
    return say_count(n, "run is part of another run", "runs are parts of other runs") +
           " and cannot be canceled alone";
  }
  return say_count(n, "run", "runs") + " could not be canceled (" + std::string(outcome) + ")";
}

Result<int> cancel_scope(Context& context, const std::string& scope) {
  const Call call{.body = json_text(object{{"scope", scope}})};
  const Result<object> answer = context.client.ask(wire::runs::cancel_scope, call);
  if (!answer) return std::unexpected(answer.error());
  std::string text;
  if (context.json) {
    text = json_text(*answer) + "\n";
  } else {
    for (const auto& [outcome, count] : object_in(*answer, "outcomes")) {
      text += say_outcome(outcome, count.is_int64() ? count.get_int64() : 0) + "\n";
    }
    if (text.empty()) context.screen.notice("no active run in scope " + scope);
  }
  if (auto ok = context.screen.print(text); !ok) return std::unexpected(ok.error());
  return 0;
}

// Asks for confirmation. Without a terminal, --yes is needed instead.
Result<bool> is_sure(size_t count) {
  if (::isatty(STDIN_FILENO) != 1) {
    return fail_invalid("yes", "--all cancels " +
                                   say_count(static_cast<std::int64_t>(count), "run", "runs") +
                                   "; standard input is not a terminal, so add --yes to confirm");
  }
  const std::string question =
      "cancel " + say_count(static_cast<std::int64_t>(count), "run", "runs") + "? [y/N] ";
  (void)write_all(STDERR_FILENO, question);
  std::array<char, 256> answer{};
  const ssize_t got = ::read(STDIN_FILENO, answer.data(), answer.size());
  return got > 0 && (answer[0] == 'y' || answer[0] == 'Y');
}

struct Target {
  std::string run;
  bool queued = false;
};

// Queued runs come first: if a running one is canceled first, a queued one would start.
std::vector<std::string> in_order(const std::vector<Target>& targets) {
  std::vector<std::string> out;
  for (const bool queued : {true, false}) {
    for (const Target& target : targets) {
      if (target.queued == queued) out.push_back(target.run);
    }
  }
  return out;
}

Result<std::vector<std::string>> all_active(Context& context, bool ask) {
  const Result<boost::json::array> runs = active_runs(context);
  if (!runs) return std::unexpected(runs.error());
  std::vector<Target> targets;
  for (const boost::json::value& run : *runs) {
    if (!run.is_object()) continue;
    const object& record = run.get_object();
    targets.push_back({text_in(record, "run_id"), text_in(record, "state") == "queued"});
  }
  if (targets.empty()) context.screen.notice("no run is active");
  if (targets.empty() || !ask) return in_order(targets);
  const Result<bool> sure = is_sure(targets.size());
  if (!sure) return std::unexpected(sure.error());
  if (*sure) return in_order(targets);
  context.screen.notice("nothing was canceled");
  return std::vector<std::string>{};
}

// A run that cannot be read counts as started: the answer to its cancel says why.
std::vector<std::string> named(Context& context, const std::vector<std::string>& runs) {
  if (runs.size() < 2) return runs;
  std::vector<Target> targets;
  for (const std::string& run : runs) {
    const Result<object> record = context.client.ask(wire::runs::get, {.segment = run});
    targets.push_back({run, record && text_in(*record, "state") == "queued"});
  }
  return in_order(targets);
}

Result<int> cancel(Context& context, const Arguments& arguments) {
  object body;
  if (const auto grace = arguments.text("grace")) body["grace"] = *grace;
  const auto scope = arguments.text("scope");
  const bool all = arguments.has("all");
  if (int{scope.has_value()} + int{all} + int{!arguments.words.empty()} != 1) {
    return fail_invalid("run", "name the runs to cancel, or use --scope or --all");
  }
  if (scope && arguments.has("grace")) {
    return fail_invalid(
        "grace",
        "--grace cannot be combined with --scope: each run of a scope keeps its own grace");
  }
  if (scope) return cancel_scope(context, *scope);
  Result<std::vector<std::string>> runs =
      all ? all_active(context, !arguments.has("yes")) : named(context, arguments.words);
  if (!runs) return std::unexpected(runs.error());
  int code = 0;
  bool gone = false;  // Then stop asking: each request would wait for the daemon again.
  const auto failed = [&](const Error& error) {
    gone = error.reason == "no_daemon" || error.reason == "connection_lost";
    const int exit_code = explain(error, context.screen, context.json);
    if (code == 0) code = exit_code;
  };
  const std::string wish = json_text(body);
  std::vector<object> answers;  // Cancel all runs before waiting for the first.
  for (const std::string& run : *runs) {
    Result<object> answer = context.client.ask(wire::runs::cancel, {.segment = run, .body = wish});
    if (answer) {
      answers.push_back(std::move(*answer));
    } else if (all && answer.error().reason == "not_cancellable") {  // --all skips it.
      answers.push_back({{"run_id", run}, {"outcome", "not_cancellable"}});
    } else {
      failed(answer.error());
    }
    if (gone) break;
  }
  for (object& answer : answers) {
    const bool ends = text_in(answer, "outcome") != "not_cancellable";
    const bool wait = ends && !gone && !arguments.has("no-wait");
    if (auto printed = tell(context, std::move(answer), wait); !printed) failed(printed.error());
  }
  return code;
}

}  // namespace

const Command kCancel{
    .name = "cancel",
    .words = "[RUN…]",
    .group = Group::everyday,
    .summary = "Cancel runs",
    .help =
        "Cancel runs, kill all their processes and wait until they have finished.\n\n"
        "Drover sends TERM, waits for the grace period and then sends KILL. A run that has "
        "already finished stays as it is; this is not an error. With --scope the command does "
        "not wait.",
    .examples = {{{"drover cancel @last", "Cancel the newest run."},
                  {"drover cancel --grace 30s nightly", "Give the run 30 seconds to clean up."},
                  {"drover cancel --all --yes", "Cancel every active run."}}},
    .options = kOptions,
    .words_min = 0,
    .words_max = kAnyNumber,
    .run = cancel,
    .alias = "kill",
    .runs = Runs::active,
};

}  // namespace drover::cli
