// drover emit: posts an event, on which triggers fire.
#include <boost/json/parse.hpp>

#include "cli/commands/triggers/commands.h"
#include "cli/context.h"
#include "cli/environment.h"
#include "cli/fields.h"
#include "wire/triggers/operations.h"

namespace drover::cli {
namespace {

constexpr auto kOptions = std::to_array<Option>({
    {"data", 0, Takes::text, "JSON", "The payload of the event", "payload"},
    {"key", 0, Takes::text, "KEY", "Triggers with --dedup drop a second event with this key",
     "dedup_key"},
});

Result<int> emit(Context& context, const Arguments& arguments) {
  boost::json::object body{{"type", arguments.words[0]}};
  if (auto ok = check_text(arguments.words[0], "type"); !ok) return std::unexpected(ok.error());
  if (const auto data = arguments.text("data")) {
    boost::system::error_code bad;
    body["payload"] = boost::json::parse(*data, bad);
    if (bad) return fail_invalid("data", "--data is not valid JSON: " + bad.message());
  }
  if (const auto key = arguments.text("key")) body["dedup_key"] = *key;
  const auto answer = context.client.ask(wire::triggers::emit, {.body = json_text(body)});
  if (!answer) return std::unexpected(answer.error());
  const std::string text = context.json ? json_text(*answer) : text_in(*answer, "event_id");
  if (auto ok = context.screen.print(text + "\n"); !ok) return std::unexpected(ok.error());
  return 0;
}

}  // namespace

const Command kEmit{
    .name = "emit",
    .words = "TYPE",
    .group = Group::automation,
    .summary = "Post an event, on which triggers fire",
    .help =
        "Post an event and print its id.\n\n"
        "A type is lower-case words separated by dots. Triggers that were added with --on TYPE, or "
        "with the beginning of it and `*`, fire. Types of Drover itself, such as run.failed, are "
        "refused.",
    .examples = {{{"drover emit deploy.done --data '{\"version\": \"1.4\"}'",
                   "Say that a deployment is done."},
                  {"drover emit backup.done --key 2026-11-18",
                   "Say that a backup is done; triggers with --dedup fire once for this key."}}},
    .options = kOptions,
    .words_min = 1,
    .words_max = 1,
    .run = emit,
};

}  // namespace drover::cli
