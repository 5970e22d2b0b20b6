// drover wait: until runs have ended.
#include <array>
#include <boost/json/serialize.hpp>

#include "cli/commands/commands.h"
#include "cli/explain.h"
#include "cli/fields.h"
#include "cli/notify.h"
#include "cli/removed.h"
#include "cli/run_view.h"
#include "cli/waiting.h"

namespace drover::cli {
namespace {

constexpr auto kOptions = std::to_array<Option>({
    {"notify", 0, Takes::nothing, "", "tell the desktop of each, or else the terminal"},
    {"final", 0, Takes::nothing, "", "of a run that is tried again, for its last attempt"},
});

Result<int> wait(Context& context, const Arguments& arguments) {
  int code = 0;
  for (const std::string& run : arguments.words) {
    const Result<boost::json::object> record = await_end(context, run, arguments.has("final"));
    if (const auto left = record ? record : ask_for_removed(context, run, record.error());
        !record && left) {
      if (code == 0) code = exit_code_of_removed(*left);
      context.screen.notice(run + " " + say_removed(*left));
      continue;
    }
    if (!record) {
      const int failed = explain(record.error(), context.screen, context.json);
      if (code == 0) code = failed;
      continue;  // The others are waited for all the same.
    }
    if (code == 0) code = exit_code_of(*record);
    if (arguments.has("notify")) notify_end(*record, title_of(*record));
    if (context.json) {
      if (auto ok = context.screen.print(boost::json::serialize(*record) + "\n"); !ok) {
        return std::unexpected(ok.error());
      }
    } else if (const std::string line = epitaph(*record); !line.empty()) {
      context.screen.notice(text_in(*record, "run_id") + " " + line);
    }
  }
  return code;
}

}  // namespace

const Command kWait{
    .name = "wait",
    .words = "RUN…",
    .help =
        "Wait until runs have ended and exit with their code.\n"
        "Of several, the first code that is not 0 counts.",
    .options = kOptions,
    .words_min = 1,
    .words_max = kAnyNumber,
    .run = wait,
};

}  // namespace drover::cli
