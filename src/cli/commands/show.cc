// drover show: shows everything known about a run.
#include <array>

#include "base/clock.h"
#include "cli/commands/commands.h"
#include "cli/context.h"
#include "cli/explain.h"
#include "cli/fields.h"
#include "cli/views/show_view.h"
#include "cli/which_run.h"
#include "wire/operations/handles.h"
#include "wire/operations/runs.h"

namespace drover::cli {
namespace {

using boost::json::object;

constexpr auto kOptions = std::to_array<Option>({
    {"evidence", 0, Takes::nothing, "", "Show the permanent status, even of removed runs"},
});

// The attempts of a retried run.
std::string chain_lines(Context& context, const object& run, WallMs now) {
  const std::string first = text_in(run, "retry_of");
  if (first.empty() && text_in(run, "retried_by").empty()) return "";
  const Call call{.query = {{"chain", first.empty() ? text_in(run, "run_id") : first}}};
  const Result<object> page = context.client.ask(wire::runs::list, call);
  return page ? attempts_page(array_in(*page, "runs"), run, context.screen, now) : "";
}

Result<std::string> record_text(Context& context, const std::string& name) {
  const Result<object> run =
      context.client.ask(wire::runs::get, {.segment = name, .query = {{"live", "true"}}});
  if (!run) return std::unexpected(run.error());
  if (context.json) return json_text(*run) + "\n";
  const WallMs now = SystemClock{}.wall_ms();
  std::string text = show_page(*run, context.screen, context.phases, now);
  text += chain_lines(context, *run, now);
  for (const RunSection section : context.sections) {
    text += section(context, RunPage::show, text_in(*run, "run_id"));
  }
  return text;
}

// The permanent status: all that is left of a removed run.
Result<std::string> evidence_text(Context& context, const std::string& name) {
  const Result<std::string> id = whole_id(context, name);
  if (!id) return std::unexpected(id.error());
  const Result<object> status = context.client.ask(wire::handles::status, {.segment = *id});
  if (!status) return std::unexpected(status.error());
  if (context.json) return json_text(*status) + "\n";
  return evidence_page(*status, context.screen, SystemClock{}.wall_ms());
}

Result<int> show(Context& context, const Arguments& arguments) {
  int code = 0;
  const bool evidence = arguments.has("evidence");
  for (const std::string& name : arguments.words) {
    const Result<std::string> text =
        evidence ? evidence_text(context, name) : record_text(context, name);
    if (!text) {
      const int failed = explain(text.error(), context.screen, context.json);
      if (code == 0) code = failed;
      continue;
    }
    if (auto ok = context.screen.print(*text); !ok) return std::unexpected(ok.error());
  }
  return code;
}

}  // namespace

const Command kShow{
    .name = "show",
    .words = "RUN…",
    .group = Group::everyday,
    .summary = "Show all details of runs",
    .help =
        "Show all details of runs: command, state, times, limits and resources used.\n\n"
        "After a run is removed, Drover keeps only its final status; --evidence shows it.",
    .examples = {{{"drover show @last", "Show the newest run."},
                  {"drover show --json @failed", "Print the newest failed run as JSON."}}},
    .options = kOptions,
    .words_min = 1,
    .words_max = kAnyNumber,
    .run = show,
    .alias = "get",
};

}  // namespace drover::cli
