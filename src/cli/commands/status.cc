// drover status: shows the daemon and all its paths.
#include "base/clock.h"
#include "cli/commands/commands.h"
#include "cli/context.h"
#include "cli/fields.h"
#include "cli/views/status_view.h"
#include "wire/operations/daemon.h"

namespace drover::cli {
namespace {

using boost::json::object;

Result<int> status(Context& context, const Arguments&) {
  const Result<object> answer = context.client.ask(wire::daemon::status, {});
  if (!answer) return std::unexpected(answer.error());
  const std::string text = context.json
                               ? json_text(*answer) + "\n"
                               : status_page(*answer, context.screen, SystemClock{}.wall_ms());
  if (auto ok = context.screen.print(text); !ok) return std::unexpected(ok.error());
  return 0;
}

}  // namespace

const Command kStatus{
    .name = "status",
    .words = {},
    .group = Group::daemon,
    .summary = "Show the daemon's state and paths",
    .help =
        "Show the daemon's version, process, runs and the paths that it uses.\n\n"
        "The command starts the daemon if none is running.",
    .examples = {{{"drover status", "Show the daemon."},
                  {"drover status --no-start", "Fail with exit code 7 if no daemon is running."}}},
    .options = {},
    .run = status,
};

}  // namespace drover::cli
