// drover wait: waits until runs have finished.
#include <array>

#include "base/clock.h"
#include "cli/commands/commands.h"
#include "cli/explain.h"
#include "cli/fields.h"
#include "cli/notify.h"
#include "cli/removed.h"
#include "cli/views/run_view.h"
#include "cli/waiting.h"
#include "wire/errors.h"

namespace drover::cli {
namespace {

constexpr auto kOptions = std::to_array<Option>({
    {"notify", 0, Takes::nothing, "", "Send a desktop or terminal notification for each run"},
    {"timeout", 0, Takes::text, "DURATION", "Exit with 124 if the runs have not finished by then"},
    {"final", 0, Takes::nothing, "", "Wait for the last attempt of retried runs"},
});

bool is_over(const WaitLimit& limit) {
  return limit.until_mono_ms != 0 && limit.until_mono_ms <= mono_ms();
}

// Whether the error is about the daemon: then nothing is known about the run.
bool is_of_the_daemon(const Error& error) {
  return error.reason == "daemon_silent" || error.reason == "no_daemon" ||
         error.reason == "connection_lost";
}

Result<int> wait(Context& context, const Arguments& arguments) {
  int code = 0;
  WaitLimit limit{.final = arguments.has("final")};
  if (const auto text = arguments.text("timeout")) {
    const Result<std::int64_t> ms = parse_duration_ms(*text, "timeout");
    if (!ms) return fail_invalid("timeout", "--timeout: " + ms.error().message);
    limit.until_mono_ms = mono_ms() + *ms;
  }
  for (const std::string& run : arguments.words) {
    const Result<boost::json::object> record = await_end(context, run, limit);
    if (record && !has_ended(*record)) {
      context.screen.notice(text_in(*record, "run_id") + " has not finished: it is still " +
                            text_in(*record, "state") + " after " + *arguments.text("timeout"));
      return wire::exit_code::kTimedOut;
    }
    if (!record && is_over(limit) && is_of_the_daemon(record.error())) {
      context.screen.notice("cannot tell whether " + run + " has finished: after " +
                            *arguments.text("timeout") + ", " + record.error().message);
      return wire::exit_code::kTimedOut;
    }
    if (const auto left = record ? record : ask_for_removed(context, run, record.error());
        !record && left) {
      if (code == 0) code = exit_code_of_removed(*left);
      context.screen.notice(run + " " + say_removed(*left));
      continue;
    }
    if (!record) {
      const int failed = explain(record.error(), context.screen, context.json);
      if (code == 0) code = failed;
      continue;  // Still wait for the others.
    }
    if (code == 0) code = exit_code_of(*record);
    if (arguments.has("notify")) notify_end(*record, title_of(*record));
    if (context.json) {
      if (auto ok = context.screen.print(json_text(*record) + "\n"); !ok) {
        return std::unexpected(ok.error());
      }
      continue;
    }
    // The exit code alone does not say which of several runs failed.
    const bool unclear = arguments.words.size() > 1 && exit_code_of(*record) != 0;
    if (const std::string line = unclear ? say_end(*record) : end_notice(*record); !line.empty()) {
      context.screen.notice(text_in(*record, "run_id") + " " + line);
    }
  }
  return code;
}

}  // namespace

const Command kWait{
    .name = "wait",
    .words = "RUN…",
    .group = Group::everyday,
    .summary = "Wait until runs have finished",
    .help =
        "Wait until runs have finished and exit with their exit code.\n\n"
        "With several runs, the exit code is the first one that is not 0. If the time of "
        "--timeout is over, the runs keep running.",
    .examples = {{{"drover wait @last", "Wait for the newest run."},
                  {"drover wait --timeout 10m build test",
                   "Wait for two runs, for at most ten minutes."}}},
    .options = kOptions,
    .words_min = 1,
    .words_max = kAnyNumber,
    .run = wait,
};

}  // namespace drover::cli
