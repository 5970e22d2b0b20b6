// drover play: builds, validates, packs and runs a project, and shows its progress.
#include <boost/json/parse.hpp>
#include <cstdlib>

#include "base/id.h"
#include "cli/commands/play/commands.h"
#include "cli/commands/play/known_project.h"
#include "cli/commands/play/play_view.h"
#include "cli/commands/play/playing.h"
#include "cli/context.h"
#include "cli/environment.h"
#include "cli/fields.h"
#include "cli/help/suggestions.h"
#include "wire/errors.h"
#include "wire/operations/runs.h"
#include "wire/play/operations.h"

namespace drover::cli {
namespace {

using boost::json::object;

constexpr auto kPlayOptions = std::to_array<Option>({
    {"detach", 'd', Takes::nothing, "", "Print the run id of the play and return at once"},
    {"env", 'e', Takes::many, "K=V", "Set a variable; may be repeated"},
    {"env-file", 0, Takes::many, "FILE", "Set the variables in FILE, as --env; may be repeated"},
});
constexpr auto kLogOptions = std::to_array<Option>({
    {"follow", 'f', Takes::nothing, "", "Keep printing new output until the play has finished"},
    {"run", 0, Takes::text, "RUN", "Print an earlier play (default: the latest)"},
});
constexpr auto kFeedOptions = std::to_array<Option>({
    {"limit", 'n', Takes::text, "N", "Show at most the last N entries (default 20)"},
});

std::string typed(const Arguments& arguments) {
  return arguments.words.empty() ? "" : arguments.words.front();
}

Result<int> print(Context& context, const std::string& text) {
  if (auto ok = context.screen.print(text); !ok) return std::unexpected(ok.error());
  return 0;
}

// A mistyped command looks like the name of a project: `drover play statu`.
Error with_suggestion(const Context& context, Error error, const std::string& word) {
  const std::string suggestion = suggest_subcommand(context.commands, "play", word);
  if (error.code == ErrorCode::not_found && suggestion.ends_with('?')) {
    error.message += "; " + suggestion;
  }
  return error;
}

Result<int> play(Context& context, const Arguments& arguments) {
  const auto project = project_to_play(context, typed(arguments));
  if (!project) return std::unexpected(project.error());
  object env = own_environment(context.screen);
  if (auto ok = add_env_files(env, arguments.all("env-file")); !ok) {
    return std::unexpected(ok.error());
  }
  if (auto ok = add_pairs(env, arguments.all("env"), "env"); !ok) {
    return std::unexpected(ok.error());
  }
  const object body{{"env", std::move(env)}, {"inherit_env", false}};
  const bool detach = arguments.has("detach");
  std::optional<Interrupts> interrupts;
  if (!detach) interrupts.emplace();
  // With an idempotency key, a request whose answer was lost can safely be repeated.
  const auto answer = context.client.ask(
      wire::play::play,
      {.segment = *project, .body = json_text(body), .key = "cli-" + random_hex(32)});
  if (!answer) return std::unexpected(with_suggestion(context, answer.error(), typed(arguments)));
  const object& session = object_in(*answer, "session");
  const std::string run = text_in(session, "run_id");
  if (flag_in(*answer, "ignored")) {
    context.screen.notice("not started: " + text_in(*answer, "why") +
                          (detach ? "" : "; showing the log of the current play"));
  }
  if (detach) return print(context, (context.json ? json_text(*answer) : run) + "\n");
  const auto end = Playing(context, &*interrupts, *project, run).until_rest();
  if (!end) return std::unexpected(end.error());
  return end->value_or(wire::exit_code::kCanceled);
}

Result<int> stop(Context& context, const Arguments& arguments) {
  const auto project = known_project(context, typed(arguments));
  if (!project) return std::unexpected(project.error());
  // Name the play to stop: if the answer is lost, the repeated request must not stop the next one.
  const auto current = context.client.ask(wire::play::session, {.segment = *project});
  if (!current) return std::unexpected(current.error());
  object wish;
  if (const std::string run = text_in(*current, "run_id"); !run.empty()) wish["run_id"] = run;
  auto answer =
      context.client.ask(wire::play::stop, {.segment = *project, .body = json_text(wish)});
  if (!answer) return std::unexpected(answer.error());
  if (flag_in(*answer, "ignored")) {
    if (context.json) return print(context, json_text(*answer) + "\n");
    context.screen.notice("not stopped: " + text_in(*answer, "why"));
    return 0;
  }
  // The play is being killed: wait until it has finished.
  const auto record = context.client.ask(
      wire::runs::get, {.segment = text_in(object_in(*answer, "session"), "run_id"),
                        .query = {{"wait", "30s"}},
                        .held_ms = 30'000});
  if (!record) return std::unexpected(record.error());
  const object session = session_of(*record);
  (*answer)["session"] = session;
  const auto printed =
      print(context, context.json ? json_text(*answer) + "\n"
                                  : *project + " is " + text_in(session, "state") + "\n");
  if (!printed || is_at_rest(session)) return printed;
  context.screen.notice("the play has not finished yet; `drover play status " + *project +
                        "` shows its state");
  return wire::exit_code::kTimedOut;
}

Result<int> status(Context& context, const Arguments& arguments) {
  const auto project = known_project(context, typed(arguments));
  if (!project) return std::unexpected(project.error());
  const auto session = context.client.ask(wire::play::session, {.segment = *project});
  if (!session) return std::unexpected(session.error());
  return print(context,
               context.json ? json_text(*session) + "\n" : session_page(context.screen, *session));
}

// Prints a page of the log, but nothing after `end`, which the first page sets: otherwise a fast
// writer could keep us printing forever. Returns the seq of the last entry, or empty after the last
// page.
Result<std::optional<std::int64_t>> print_page(Context& context, const Call& call,
                                               std::optional<std::int64_t>& end) {
  const auto answer = context.client.call(wire::play::log, call);
  if (!answer) return std::unexpected(answer.error());
  if (!end && !answer->end_seq.empty()) {
    end = std::strtoll(answer->end_seq.c_str(), nullptr, 10);
  }
  std::optional<std::int64_t> last;
  std::string text;
  std::string_view rest = answer->body;
  while (!rest.empty()) {
    const std::string_view line = rest.substr(0, std::min(rest.find('\n'), rest.size() - 1) + 1);
    rest.remove_prefix(line.size());
    boost::system::error_code bad;
    const boost::json::value entry = boost::json::parse(line, bad);
    if (bad || !entry.is_object()) continue;
    const auto seq = number_in(entry.get_object(), "seq");
    if (seq && end && *seq > *end) {
      last.reset();
      break;
    }
    last = seq;
    text += context.json ? escape_controls(std::string(line))
                         : log_line(context.screen, entry.get_object());
  }
  if (auto ok = context.screen.print(text); !ok) return std::unexpected(ok.error());
  return last;
}

Result<int> log(Context& context, const Arguments& arguments) {
  const auto project = known_project(context, typed(arguments));
  if (!project) return std::unexpected(project.error());
  std::string run = arguments.text("run").value_or("");
  if (run.empty()) {
    const auto session = context.client.ask(wire::play::session, {.segment = *project});
    if (!session) return std::unexpected(session.error());
    run = text_in(*session, "run_id");
    if (run.empty()) {
      context.screen.notice(*project + " has no recorded play; `drover play` starts one");
      return 0;
    }
  }
  if (arguments.has("follow")) {
    const auto end = Playing(context, nullptr, *project, run).until_rest();
    return end ? Result<int>(0) : std::unexpected(end.error());
  }
  Call call{.segment = *project, .query = {{"run", run}, {"after", "0"}}};
  for (std::optional<std::int64_t> end;;) {
    const auto last = print_page(context, call, end);
    if (!last) return std::unexpected(last.error());
    if (!*last) return 0;
    call.query.back().second = std::to_string(**last);
  }
}

Result<int> feed(Context& context, const Arguments& arguments) {
  const auto project = known_project(context, typed(arguments));
  if (!project) return std::unexpected(project.error());
  const auto answer = context.client.ask(
      wire::play::feed,
      {.segment = *project,
       .query = {{"last", "true"}, {"limit", arguments.text("limit").value_or("20")}}});
  if (!answer) return std::unexpected(answer.error());
  if (context.json) return print(context, json_text(*answer) + "\n");
  return print(context, feed_table(context.screen, array_in(*answer, "entries")));
}

}  // namespace

const Command kPlay{
    .name = "play",
    .words = "[PROJECT]",
    .group = Group::projects,
    .summary = "Build and run a project",
    .help =
        "Build, validate and pack a project, then start its runtime, and print all output.\n\n"
        "PROJECT is the id of a project, or a path that contains a slash. Without PROJECT, "
        "Drover uses the drover.toml of this directory or of the nearest one above it. If the "
        "project is being played already, Drover shows that play.\n\n"
        "Ctrl-C stops the runtime. It does not stop the preparation; a second Ctrl-C detaches "
        "from the play.\n\n"
        "The exit code is that of the runtime, or of the step that failed. It is 130 if the "
        "play was stopped or detached, 124 if a step timed out, 127 or 126 if the program of a "
        "step was not found or is not executable, and 125 if the pack was blocked or the "
        "runtime could not be started.",
    .noun_summary = "Build and run a project",
    .examples = {{{"drover play", "Play the project of the current directory."},
                  {"drover play -d ./game", "Start a play in the background."}}},
    .options = kPlayOptions,
    .words_max = 1,
    .run = play,
    .offers = kOffersProjects,
};

const Command kPlayStop{
    .name = "play stop",
    .words = "[PROJECT]",
    .group = Group::projects,
    .summary = "Stop the runtime of a project",
    .help =
        "Kill the runtime of a project and all processes that it started.\n\n"
        "While the project is being prepared, it has no runtime and the command does nothing.",
    .examples = {{{"drover play stop", "Stop the project of the current directory."},
                  {"drover play stop game", "Stop the project game."}}},
    .options = {},
    .words_max = 1,
    .run = stop,
    .offers = kOffersProjects,
};

const Command kPlayStatus{
    .name = "play status",
    .words = "[PROJECT]",
    .group = Group::projects,
    .summary = "Show the latest play of a project",
    .help = "Show the state of the latest play of a project.",
    .examples = {{{"drover play status", "Show the play of the current directory."},
                  {"drover play status --json game",
                   "Print the state of the project game as JSON."}}},
    .options = {},
    .words_max = 1,
    .run = status,
    .offers = kOffersProjects,
};

const Command kPlayLog{
    .name = "play log",
    .words = "[PROJECT]",
    .group = Group::projects,
    .summary = "Print the output of a play",
    .help = "Print the output of the steps and the runtime of a play as one log.",
    .examples = {{{"drover play log -f", "Follow the output of the current play."},
                  {"drover play log game",
                   "Print the output of the latest play of the project game."}}},
    .options = kLogOptions,
    .words_max = 1,
    .run = log,
    .offers = kOffersProjects,
};

const Command kPlayFeed{
    .name = "play feed",
    .words = "[PROJECT]",
    .group = Group::projects,
    .summary = "List what happened in the plays of a project",
    .help = "List what happened in the plays of a project, one line for each change.",
    .examples = {{{"drover play feed -n 50", "List the last 50 changes."},
                  {"drover play feed game", "List the last 20 changes of the project game."}}},
    .options = kFeedOptions,
    .words_max = 1,
    .run = feed,
    .offers = kOffersProjects,
};

}  // namespace drover::cli
