// drover show: shows everything known about a run.
#include "base/clock.h"
#include "cli/commands/commands.h"
#include "cli/context.h"
#include "cli/explain.h"
#include "cli/fields.h"
#include "cli/removed.h"
#include "cli/views/show_view.h"
#include "wire/operations/runs.h"

namespace drover::cli {
namespace {

using boost::json::object;

// The attempts of a retried run.
std::string chain_lines(Context& context, const object& run, WallMs now) {
  const std::string first = text_in(run, "retry_of");
  if (first.empty() && text_in(run, "retried_by").empty()) return "";
  const Call call{.query = {{"chain", first.empty() ? text_in(run, "run_id") : first}}};
  const Result<object> page = context.client.ask(wire::runs::list, call);
  return page ? attempts_page(array_in(*page, "runs"), run, context.screen, now) : "";
}

Result<int> show(Context& context, const Arguments& arguments) {
  int code = 0;
  for (const std::string& id : arguments.words) {
    const Result<object> run =
        context.client.ask(wire::runs::get, {.segment = id, .query = {{"live", "true"}}});
    if (const auto left = run ? run : ask_for_removed(context, id, run.error()); !run && left) {
      const std::string line = context.json ? json_text(*left) : id + " " + say_removed(*left);
      if (auto ok = context.screen.print(line + "\n"); !ok) return std::unexpected(ok.error());
      continue;
    }
    if (!run) {
      const int failed = explain(run.error(), context.screen, context.json);
      if (code == 0) code = failed;
      continue;
    }
    const WallMs now = SystemClock{}.wall_ms();
    const std::string text = context.json ? json_text(*run) + "\n"
                                          : show_page(*run, context.screen, context.phases, now) +
                                                chain_lines(context, *run, now);
    if (auto ok = context.screen.print(text); !ok) return std::unexpected(ok.error());
  }
  return code;
}

}  // namespace

const Command kShow{
    .name = "show",
    .words = "RUN…",
    .group = Group::everyday,
    .summary = "Show all details of runs",
    .help = "Show all details of runs: command, state, times, limits and resources used.",
    .examples = {{{"drover show @last", "Show the newest run."},
                  {"drover show --json @failed", "Print the newest failed run as JSON."}}},
    .options = {},
    .words_min = 1,
    .words_max = kAnyNumber,
    .run = show,
    .alias = "get",
};

}  // namespace drover::cli
