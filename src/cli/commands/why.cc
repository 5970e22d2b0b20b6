// drover why: explains why a run is waiting, what it is doing, or why it finished.

#include "base/clock.h"
#include "cli/commands/commands.h"
#include "cli/context.h"
#include "cli/explain.h"
#include "cli/fields.h"
#include "cli/views/why_view.h"
#include "wire/operations/runs.h"

namespace drover::cli {
namespace {

using boost::json::object;

Result<int> why(Context& context, const Arguments& arguments) {
  int code = 0;
  for (const std::string& run : arguments.words) {
    const Result<object> answer = context.client.ask(wire::runs::why, {.segment = run});
    if (!answer) {
      const int failed = explain(answer.error(), context.screen, context.json);
      if (code == 0) code = failed;
      continue;
    }
    const std::string text =
        context.json ? json_text(*answer) + "\n"
                     : why_page(*answer, context.screen, context.phases, SystemClock{}.wall_ms());
    if (auto ok = context.screen.print(text); !ok) return std::unexpected(ok.error());
  }
  return code;
}

}  // namespace

const Command kWhy{
    .name = "why",
    .words = "RUN…",
    .group = Group::everyday,
    .summary = "Explain why a run waits, hangs or failed",
    .help =
        "Explain the state of a run.\n\n"
        "For a queued run, Drover says what the run waits for. For a running one, it looks "
        "where the processes are blocked. For a finished one, it says how and why the run "
        "finished.",
    .examples = {{{"drover why @last", "Explain the state of the newest run."},
                  {"drover why nightly @failed", "Explain two runs."}}},
    .options = {},
    .words_min = 1,
    .words_max = kAnyNumber,
    .run = why,
};

}  // namespace drover::cli
