// drover why: why a run is not running, or why it ended.

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
    .help = "Say why a run is not running, what a running one is stuck at, or why it ended.",
    .options = {},
    .words_min = 1,
    .words_max = kAnyNumber,
    .run = why,
};

}  // namespace drover::cli
