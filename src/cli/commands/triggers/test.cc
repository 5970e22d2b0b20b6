// drover trigger test: shows what a time or an event would do.
#include <boost/json/parse.hpp>

#include "cli/commands/triggers/commands.h"
#include "cli/commands/triggers/trial_page.h"
#include "cli/context.h"
#include "cli/environment.h"
#include "cli/fields.h"
#include "cli/typed_time.h"
#include "wire/triggers/operations.h"

namespace drover::cli {
namespace {

using boost::json::object;

constexpr auto kOptions = std::to_array<Option>({
    {"at", 0, Takes::text, "TIME",
     "Test 03:00 or '2026-11-18 03:00': local unless it names a zone (default: the next due time)",
     "at"},
    {"data", 0, Takes::text, "JSON", "Test an event with this payload", "payload"},
    {"type", 0, Takes::text, "TYPE", "The type of the event, for a trigger on several types",
     "type"},
    {"key", 0, Takes::text, "KEY", "The key of the event, for a trigger with --dedup", "dedup_key"},
});

Result<object> request_of(const Arguments& arguments) {
  object out;
  if (const auto at = arguments.text("at")) {
    const auto time = parse_typed_time(*at, "at", SystemClock{}.wall_ms(), Side::future);
    if (!time) return std::unexpected(time.error());
    out["at"] = rfc3339(*time);
  }
  if (const auto data = arguments.text("data")) {
    boost::system::error_code bad;
    out["payload"] = boost::json::parse(*data, bad);
    if (bad) return fail_invalid("data", "--data is not valid JSON: " + bad.message());
  }
  for (const auto& [option, field] : {std::pair{"type", "type"}, {"key", "dedup_key"}}) {
    const auto text = arguments.text(option);
    if (!text) continue;
    if (auto ok = check_text(*text, option); !ok) return std::unexpected(ok.error());
    out[field] = *text;
  }
  return out;
}

Result<int> test(Context& context, const Arguments& arguments) {
  const auto body = request_of(arguments);
  if (!body) return std::unexpected(body.error());
  const auto trial = context.client.ask(wire::triggers::test,
                                        {.segment = arguments.words[0], .body = json_text(*body)});
  if (!trial) return std::unexpected(trial.error());
  const std::string text = context.json
                               ? json_text(*trial) + "\n"
                               : trial_page(*trial, context.screen, SystemClock{}.wall_ms());
  if (auto ok = context.screen.print(text); !ok) return std::unexpected(ok.error());
  return 0;
}

}  // namespace

const Command kTriggerTest{
    .name = "trigger test",
    .words = "TRIGGER",
    .group = Group::automation,
    .summary = "Show what a time or an event would do",
    .help =
        "Show whether a time or an event would start the trigger's run, and which run.\n\n"
        "The command makes the checks that the daemon makes: due time or type, pause, filters with "
        "the values that they read, dedup, backoff and overlap. It starts nothing and writes "
        "nothing. `drover trigger fire` starts the run.",
    .examples = {{{"drover trigger test nightly --at 03:00", "Test the next 3 o'clock."},
                  {"drover trigger test deploy --data '{\"branch\": \"main\"}'",
                   "Test an event with this payload."}}},
    .options = kOptions,
    .words_min = 1,
    .words_max = 1,
    .run = test,
    .offers = kOffersTriggers,
};

}  // namespace drover::cli
