#include "cli/commands/overview.h"

#include <fmt/core.h>

#include "base/clock.h"
#include "cli/context.h"
#include "cli/fields.h"
#include "cli/views/runs_table.h"
#include "wire/operations/runs.h"

namespace drover::cli {
namespace {

using boost::json::object;

constexpr size_t kShown = 5;

std::string text_of(Context& context, boost::json::array runs) {
  if (runs.empty()) return "No runs are active.\n";
  const bool more = runs.size() > kShown;
  while (runs.size() > kShown) runs.pop_back();
  std::string out =
      runs_table(runs, context.screen, SystemClock{}.wall_ms(), context.screen.width());
  if (more) out += "More runs are active; `drover ps` lists all of them.\n";
  return out;
}

}  // namespace

Result<int> overview(Context& context) {
  // Ask for one more than is shown, to know whether there are more.
  const Call call{.query = {{"active", "true"}, {"limit", std::to_string(kShown + 1)}}};
  const Result<object> answer = context.client.ask(wire::runs::list, call);
  const bool runs_daemon = answer || answer.error().reason != "no_daemon";
  if (!answer && runs_daemon) return std::unexpected(answer.error());
  const boost::json::array runs = answer ? array_in(*answer, "runs") : boost::json::array{};
  std::string text;
  if (context.json) {
    text = json_text(object{{"daemon", runs_daemon}, {"runs", runs}}) + "\n";
  } else {
    text = runs_daemon ? text_of(context, runs)
                       : "No daemon is running; the next command starts one.\n";
    text += "\nNext:\n";
    for (const Example& next : kNextCommands)
      text += fmt::format("  {:<23} {}\n", next.line, next.why);
  }
  if (auto ok = context.screen.print(text); !ok) return std::unexpected(ok.error());
  return 0;
}

}  // namespace drover::cli
