// drover answer, drover inbox dismiss: close a question.
#include "cli/commands/inbox/commands.h"
#include "cli/context.h"
#include "cli/environment.h"
#include "cli/fields.h"
#include "cli/views/columns.h"
#include "wire/inbox/operations.h"

namespace drover::cli {
namespace {

using boost::json::object;

constexpr auto kAnswerOptions = std::to_array<Option>({
    {"text", 0, Takes::text, "TEXT", "An answer in your own words, alone or with a choice", "text"},
});

Result<int> print(Context& context, const Result<object>& entry, std::string_view done) {
  if (!entry) return std::unexpected(entry.error());
  if (!context.json) {
    context.screen.notice(text_in(*entry, "id") + " is " + std::string(done));
    return 0;
  }
  if (auto ok = context.screen.print(json_text(*entry) + "\n"); !ok) {
    return std::unexpected(ok.error());
  }
  return 0;
}

Result<int> answer(Context& context, const Arguments& arguments) {
  object body;
  if (arguments.words.size() > 1) body["choice"] = arguments.words[1];
  if (const auto text = arguments.text("text")) body["text"] = *text;
  for (const auto& [name, value] : body) {
    if (auto ok = check_text(value.get_string(), name); !ok) return std::unexpected(ok.error());
  }
  if (body.empty()) return fail_invalid("choice", "give a choice, or an answer with --text");
  auto answered = context.client.ask(wire::inbox::answer,
                                     {.segment = arguments.words[0], .body = json_text(body)});
  if (!answered && answered.error().param == "choice") {
    constexpr std::string_view kField = " as text";
    std::string& message = answered.error().message;
    if (message.ends_with(kField)) {
      message.replace(message.size() - kField.size(), kField.size(), " with --text");
    }
  }
  return print(context, std::move(answered), "answered");
}

Result<int> dismiss(Context& context, const Arguments& arguments) {
  return print(
      context,
      context.client.ask(wire::inbox::dismiss, {.segment = arguments.words[0], .body = "{}"}),
      "dismissed");
}

}  // namespace

const Command kAnswer{
    .name = "answer",
    .words = "ENTRY [CHOICE]",
    .group = Group::automation,
    .summary = "Answer a question of a run",
    .help =
        "Answer a question of a run.\n\n`drover inbox` lists the questions; the beginning of an id "
        "is "
        "enough.\n\n"
        "The first answer counts: the same answer again changes nothing, and another one fails "
        "with exit code 6.",
    .examples = {{{"drover answer question_01kxd3v8 yes", "Answer with one of the choices."},
                  {"drover answer question_01kxd3v8 --text \"Only on staging\"",
                   "Answer in your own words."}}},
    .options = kAnswerOptions,
    .words_min = 1,
    .words_max = 2,
    .run = answer,
    .offers = kOffersEntries,
};

const Command kInboxDismiss{
    .name = "inbox dismiss",
    .words = "ENTRY",
    .group = Group::automation,
    .summary = "Remove a question without an answer",
    .help =
        "Close a question without an answer.\n\n"
        "A `drover ask --wait` that waits for the answer exits with 130.",
    .examples = {{{"drover inbox dismiss question_01kxd3v8", "Close this question."},
                  {"drover inbox --json | jq -r '.[].id' | xargs -n 1 drover inbox dismiss",
                   "Close all questions."}}},
    .options = {},
    .words_min = 1,
    .words_max = 1,
    .run = dismiss,
    .offers = kOffersEntries,
};

}  // namespace drover::cli
