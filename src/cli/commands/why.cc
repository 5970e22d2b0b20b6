// drover why: explains why a run is waiting, what it is doing, or why it finished; and what became
// of a time of a trigger, or of anything else that a room explains.
#include <array>
#include <optional>

#include "base/clock.h"
#include "base/id.h"
#include "cli/commands/commands.h"
#include "cli/context.h"
#include "cli/explain.h"
#include "cli/explainer.h"
#include "cli/fields.h"
#include "cli/typed_time.h"
#include "cli/views/why_view.h"
#include "wire/operations/runs.h"

namespace drover::cli {
namespace {

using boost::json::object;

constexpr auto kOptions = std::to_array<Option>({
    {"at", 0, Takes::text, "TIME",
     "Explain what a trigger did at 03:00 or '2026-11-18 03:00': local unless it names a zone"},
});

// The answers about one name: that of the run, unless a time was given, and those of the rooms.
struct Answers {
  std::string text;
  std::optional<Error> error = {};  // If there is no text.
};

Answers answers_about(Context& context, const std::string& name, std::optional<WallMs> at) {
  const WallMs now = SystemClock{}.wall_ms();
  Answers out;
  if (at && context.explainers.empty()) {
    out.error = fail_invalid("at", "nothing here has due times").error();
  }
  if (!at) {
    const Result<object> run = context.client.ask(wire::runs::why, {.segment = name});
    if (run) {
      out.text = context.json ? json_text(*run) + "\n"
                              : why_page(*run, context.screen, context.phases, now);
      for (const RunSection section : context.sections) {
        if (!context.json) out.text += section(context, RunPage::why, text_in(*run, "run_id"));
      }
    } else {
      out.error = run.error();
      if (out.error->code == ErrorCode::unavailable) return out;  // Nothing answers.
    }
  }
  // A whole id, or @last, is a run and nothing else.
  if (!at && (name.starts_with('@') || RunId::parse(name))) return out;
  for (const Explainer& explainer : context.explainers) {
    const Result<object> answer = explainer.ask(context, name, at);
    if (answer) {
      out.text +=
          context.json ? json_text(*answer) + "\n" : explainer.page(*answer, context.screen, now);
    } else if (!out.error || out.error->code == ErrorCode::not_found) {
      // Of two not_found the first one stays: it says where runs are listed.
      if (!out.error || answer.error().code != ErrorCode::not_found) out.error = answer.error();
    }
  }
  return out;
}

Result<int> why(Context& context, const Arguments& arguments) {
  std::optional<WallMs> at;
  if (const auto text = arguments.text("at")) {
    auto time = parse_typed_time(*text, "at", SystemClock{}.wall_ms(), Side::past);
    if (!time) return std::unexpected(time.error());
    at = *time;
  }
  int code = 0;
  for (const std::string& name : arguments.words) {
    const Answers answers = answers_about(context, name, at);
    if (answers.text.empty() && answers.error) {
      const int failed = explain(*answers.error, context.screen, context.json);
      if (code == 0) code = failed;
      continue;
    }
    if (auto ok = context.screen.print(answers.text); !ok) return std::unexpected(ok.error());
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
        "Explain the state of a run, or of a trigger.\n\n"
        "For a queued run, Drover says what the run waits for. For a running one, it looks "
        "where the processes are blocked. For a finished one, it says how and why the run "
        "finished.\n\n"
        "For a trigger, Drover says what became of its latest due time or event, or of the one at "
        "--at. If a run and a trigger have the same name, it explains both.",
    .examples = {{{"drover why @last", "Explain the state of the newest run."},
                  {"drover why nightly @failed", "Explain two runs, and the trigger nightly."},
                  {"drover why nightly --at 03:00",
                   "Explain why the trigger nightly ran, or did not run, at three."}}},
    .options = kOptions,
    .words_min = 1,
    .words_max = kAnyNumber,
    .run = why,
};

}  // namespace drover::cli
