// drover progress: reports the progress of the run that this process belongs to.
#include <array>
#include <boost/json/object.hpp>
#include <cstdlib>

#include "base/number.h"
#include "cli/commands/commands.h"
#include "cli/context.h"
#include "cli/fields.h"
#include "wire/operations/runs.h"

namespace drover::cli {
namespace {

constexpr auto kOptions = std::to_array<Option>({
    {"done", 0, Takes::text, "N", "How many steps, files or bytes are done", "done"},
    {"total", 0, Takes::text, "N", "How many there are; gives the percentage", "total"},
});

// "42" or "42%".
std::optional<std::int64_t> percent_in(std::string_view word) {
  if (word.ends_with('%')) word.remove_suffix(1);
  return whole_number(word);
}

Result<> add_number(boost::json::object& body, const Arguments& arguments, const char* name) {
  const auto text = arguments.text(name);
  if (!text) return {};
  const auto number = whole_number(*text);
  if (!number) return fail_invalid(name, "--" + std::string(name) + " must be a whole number");
  body[name] = *number;
  return {};
}

Result<boost::json::object> body_of(const Arguments& arguments) {
  boost::json::object body;
  size_t first = 0;
  if (!arguments.words.empty()) {
    if (const auto percent = percent_in(arguments.words.front())) {
      body["percent"] = *percent;
      first = 1;
    }
  }
  std::string text;
  for (size_t i = first; i < arguments.words.size(); ++i) {
    text += (i > first ? " " : "") + arguments.words[i];
  }
  if (!text.empty()) body["text"] = text;
  for (const char* name : {"done", "total"}) {
    if (auto ok = add_number(body, arguments, name); !ok) return std::unexpected(ok.error());
  }
  if (body.empty()) {
    return fail_invalid("percent", "give a percentage, a text, or --done and --total");
  }
  return body;
}

Result<int> progress(Context& context, const Arguments& arguments) {
  const char* run = std::getenv("DROVER_RUN_ID");
  if (run == nullptr || *run == 0) {
    return fail(ErrorCode::invalid, "not_in_a_run",
                "DROVER_RUN_ID is not set: only a command that Drover has started has a "
                "progress");
  }
  const Result<boost::json::object> body = body_of(arguments);
  if (!body) return std::unexpected(body.error());
  const Result<boost::json::object> answer =
      context.client.ask(wire::runs::progress, {.segment = run, .body = json_text(*body)});
  if (!answer) return std::unexpected(answer.error());
  if (!context.json) return 0;
  if (auto ok = context.screen.print(json_text(*answer) + "\n"); !ok) {
    return std::unexpected(ok.error());
  }
  return 0;
}

}  // namespace

const Command kProgress{
    .name = "progress",
    .words = "[PERCENT] [TEXT…]",
    .group = Group::automation,
    .summary = "Set the progress of a run, from inside it",
    .help =
        "Set the progress of the run that this command is part of.\n\n"
        "`drover ps`, `top`, `show` and `why` show it, and so does `drover run` on a terminal. "
        "Each update is an event, run.progress. Drover stores at most one update per second: the "
        "latest. To tell people about a result, use `drover report`.",
    .examples = {{{"drover progress 40 linking", "Show 40 % and a text."},
                  {"drover progress --done 3 --total 12", "Show 3 of 12 steps, which is 25 %."},
                  {"drover progress \"waiting for the license server\"", "Show a text alone."}}},
    .options = kOptions,
    .words_max = kAnyNumber,
    .run = progress,
};

}  // namespace drover::cli
