// drover attach: attach to a running run, show its output and send it input.
#include <fmt/core.h>

#include <array>
#include <boost/json/serialize.hpp>

#include "cli/commands/commands.h"
#include "cli/commands/listing.h"
#include "cli/fields.h"
#include "cli/terminal/attached.h"
#include "cli/views/run_view.h"
#include "cli/views/table.h"
#include "wire/operations/runs.h"

namespace drover::cli {
namespace {

using boost::json::object;

constexpr auto kOptions = std::to_array<Option>({
    {"read-only", 0, Takes::nothing, "", "Show output only; send no keys and no size"},
    {"detach-keys", 0, Takes::text, "KEYS",
     "Keys that detach (default ctrl-p,ctrl-q; '' for none)"},
});

constexpr const char* kTailLines = "10";  // Of a run without a terminal.

std::uint64_t number(const std::string& text) {
  return std::strtoull(text.c_str(), nullptr, 10);
}

// The output so far: the screen of a run with a terminal, or the last lines. For a terminal run, a
// pipe gets only new output.
Result<CallAnswer> present(Context& context, const std::string& run,
                           Attached::AttachOptions& options) {
  if (!options.terminal) {
    return context.client.call(wire::runs::logs, {.segment = run, .query = {{"tail", kTailLines}}});
  }
  const bool shown = context.screen.output_is_terminal();
  const TerminalSize size = size_of_terminal();
  if (shown && options.forward) {  // If the run has not started yet, it gets the size later.
    options.sized =
        context.client
            .call(wire::runs::resize,
                  {.segment = run,
                   .body = fmt::format(R"({{"rows":{},"cols":{}}})", size.rows, size.columns)})
            .has_value();
  }
  Result<CallAnswer> screen =
      context.client.call(wire::runs::screen, {.segment = run, .query = {{"format", "ansi"}}});
  if (!screen) return screen;
  // Scroll our screen up instead of overwriting it; the alternate screen leaves it untouched.
  if (!shown) {
    screen->body.clear();
  } else if (!screen->body.starts_with("\x1b[?1049h")) {
    screen->body.insert(0, size.rows, '\n');
  }
  return screen;
}

// Without an argument: the only run in a terminal, like `tmux attach`.
Result<std::string> only_terminal(Context& context) {
  const Result<boost::json::array> runs = active_runs(context);
  if (!runs) return std::unexpected(runs.error());
  std::vector<std::string> ids;
  std::string lines;
  for (const boost::json::value& value : *runs) {
    if (!value.is_object() || text_in(value.get_object(), "state") != "running") continue;
    const std::string id = text_in(value.get_object(), "run_id");
    // The list does not say whether a run has a terminal.
    const Result<object> record = context.client.ask(wire::runs::get, {.segment = id});
    if (!record || has_ended(*record) || object_in(*record, "pty").empty()) continue;
    ids.push_back(id);
    lines += "\n  " + id + "  " + clean(title_of(*record));
  }
  if (ids.size() == 1) return ids.front();
  if (ids.empty()) {
    return fail(ErrorCode::not_found, "not_found",
                "no run has a terminal; `drover attach RUN` attaches to any other run", "run_id");
  }
  return fail(ErrorCode::conflict, "ambiguous_id",
              "several runs have a terminal; name one of them:" + lines, "run_id");
}

Result<int> attach(Context& context, const Arguments& arguments) {
  auto keys = DetachKeys::parse(arguments.text("detach-keys").value_or(std::string(kDetachKeys)));
  if (!keys) return std::unexpected(keys.error());
  const Result<std::string> name = arguments.words.empty()
                                       ? only_terminal(context)
                                       : Result<std::string>(arguments.words.front());
  if (!name) return std::unexpected(name.error());
  const Result<object> record = context.client.ask(wire::runs::get, {.segment = *name});
  if (!record) return std::unexpected(record.error());
  const std::string run = text_in(*record, "run_id");
  if (has_ended(*record)) {
    return fail(ErrorCode::conflict, "not_running",
                run + " has finished; `drover logs " + run + "` prints its output", "run_id");
  }
  const bool terminal = !object_in(*record, "pty").empty();
  const bool reads = terminal || text_in(*record, "stdin") == "pipe";
  const bool forward = reads && !arguments.has("read-only");
  if (!reads) context.screen.notice(run + " reads no input; Ctrl-C detaches");

  Interrupts interrupts(terminal);
  Attached::AttachOptions options{.forward = forward,
                                  .terminal = terminal,
                                  .never_cancels = true,
                                  .keys = std::move(*keys),
                                  .state = text_in(*record, "state")};
  const Result<CallAnswer> there = present(context, run, options);
  if (!there) return std::unexpected(there.error());
  options.offset = number(there->next_offset);
  Attached attached(context, interrupts, run, std::move(options));
  if (terminal) {
    attached.draw(there->body);
  } else {
    attached.draw(*there);
  }
  const Result<std::optional<object>> end = attached.until_end();
  if (!end) return std::unexpected(end.error());
  if (attached.detached()) {
    context.screen.notice("detached; `drover attach " + run + "` attaches again");
    return 0;
  }
  if (!*end) return 128 + attached.left_by();
  if (const std::string line = end_notice(**end); !line.empty()) {
    context.screen.notice(run + " " + line);
  }
  return exit_code_of(**end);
}

}  // namespace

const Command kAttach{
    .name = "attach",
    .words = "[RUN]",
    .group = Group::everyday,
    .summary = "Attach the terminal to an active run",
    .help =
        "Attach the terminal to an active run: see its output and type into it.\n\n"
        "Ctrl-P Ctrl-Q detaches and leaves the run running. For a run without a terminal, "
        "Ctrl-C detaches too. Several terminals can attach to one run; the run's terminal has "
        "the size of the one that attached or typed last.\n\n"
        "Without RUN, Drover attaches to the only active run that has a terminal.",
    .examples = {{{"drover attach", "Attach to the only run with a terminal."},
                  {"drover attach --read-only @last",
                   "See the newest run without typing into it."}}},
    .options = kOptions,
    .words_min = 0,
    .words_max = 1,
    .run = attach,
};

}  // namespace drover::cli
