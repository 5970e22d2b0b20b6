#include "cli/commands/overview.h"

#include "base/clock.h"
#include "cli/context.h"
#include "cli/fields.h"
#include "cli/help/layout.h"
#include "cli/views/runs_table.h"
#include "wire/operations/runs.h"

namespace drover::cli {
namespace {

using boost::json::object;

constexpr size_t kShown = 5;

std::string active_runs(boost::json::array runs, const Screen& screen, WallMs now) {
  if (runs.empty()) return "No runs are active.\n";
  const bool more = runs.size() > kShown;
  while (runs.size() > kShown) runs.pop_back();
  std::string out = runs_table(runs, screen, now, screen.width());
  if (more) {
    out += fill("More runs are active; `drover ps` lists all of them.", screen.text_width());
  }
  return out;
}

}  // namespace

std::string overview_page(const std::optional<boost::json::array>& runs, const Screen& screen,
                          WallMs now) {
  const size_t width = screen.text_width();
  std::vector<Row> next;
  for (const Example& example : kNextCommands) {
    next.push_back({std::string(example.line), std::string(example.why)});
  }
  return (runs ? active_runs(*runs, screen, now)
               : fill("No daemon is running; the next command starts one.", width)) +
         "\nNext:\n" + list(next, width);
}

Result<int> overview(Context& context) {
  // Ask for one more than is shown, to know whether there are more.
  const Call call{.query = {{"active", "true"}, {"limit", std::to_string(kShown + 1)}}};
  const Result<object> answer = context.client.ask(wire::runs::list, call);
  const bool runs_daemon = answer || answer.error().reason != "no_daemon";
  if (!answer && runs_daemon) return std::unexpected(answer.error());
  std::optional<boost::json::array> runs;
  if (answer) runs = array_in(*answer, "runs");
  const std::string text = context.json
                               ? json_text(object{{"daemon", runs_daemon},
                                                  {"runs", runs.value_or(boost::json::array{})}}) +
                                     "\n"
                               : overview_page(runs, context.screen, SystemClock{}.wall_ms());
  if (auto ok = context.screen.print(text); !ok) return std::unexpected(ok.error());
  return 0;
}

}  // namespace drover::cli
