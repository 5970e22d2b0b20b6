// drover rm: removes the records and output of finished runs.
#include <algorithm>
#include <array>

#include "cli/commands/commands.h"
#include "cli/context.h"
#include "cli/explain.h"
#include "cli/fields.h"
#include "cli/waiting.h"
#include "cli/which_run.h"
#include "wire/operations/runs.h"

namespace drover::cli {
namespace {

using boost::json::object;

constexpr auto kOptions = std::to_array<Option>({
    {"force", 'f', Takes::nothing, "", "Cancel active runs first"},
});

// R8: cancel, wait, delete. Uses the full id, because a prefix or @last may soon name another run.
Result<std::string> end_it(Context& context, const std::string& run) {
  const Result<object> answer =
      context.client.ask(wire::runs::cancel, {.segment = run, .body = "{}"});
  if (!answer) return std::unexpected(answer.error());
  std::string id = text_in(*answer, "run_id");
  if (id.empty()) id = run;
  if (auto ended = await_end(context, id); !ended) return std::unexpected(ended.error());
  return id;
}

Result<> remove_one(Context& context, const std::string& run, bool force) {
  const Result<std::string> id = force ? end_it(context, run) : Result<std::string>(run);
  if (!id) return std::unexpected(id.error());
  const Result<object> answer = context.client.ask(wire::runs::remove, {.segment = *id});
  if (!answer) {
    Error error = answer.error();
    if (error.reason == "active_process_conflict") {
      error.message = *id + " is active; `drover rm --force` cancels it first";
    }
    return std::unexpected(std::move(error));
  }
  const std::string line =
      context.json ? json_text(*answer) : text_in(*answer, "run_id") + " removed";
  return context.screen.print(line + "\n");
}

Result<int> rm(Context& context, const Arguments& arguments) {
  int code = 0;
  const auto note = [&](const Error& error) {
    const int failed = explain(error, context.screen, context.json);
    if (code == 0) code = failed;
  };
  std::vector<std::string> ids;  // Resolve all before removing any: @last would change.
  for (const std::string& run : arguments.words) {
    const Result<std::string> id = whole_id(context, run);
    if (!id) {
      note(id.error());
    } else if (std::ranges::find(ids, *id) == ids.end()) {
      ids.push_back(*id);
    }
  }
  for (const std::string& id : ids) {
    if (auto done = remove_one(context, id, arguments.has("force")); !done) note(done.error());
  }
  return code;
}

}  // namespace

const Command kRm{
    .name = "rm",
    .words = "RUN…",
    .group = Group::everyday,
    .summary = "Remove finished runs and their output",
    .help =
        "Remove finished runs and their output.\n\n"
        "Their ids remain valid: `drover show --evidence RUN` shows how each run finished. Drover "
        "also removes old runs by itself (`drover config get retention.age`).",
    .examples = {{{"drover rm nightly", "Remove a finished run."},
                  {"drover rm --force @last",
                   "Cancel the newest run if it is active, then remove it."}}},
    .options = kOptions,
    .words_min = 1,
    .words_max = kAnyNumber,
    .run = rm,
    .runs = Runs::ended,
};

}  // namespace drover::cli
