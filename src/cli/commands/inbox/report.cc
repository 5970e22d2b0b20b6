// drover report: tells people something, from inside a run.
#include <algorithm>
#include <array>
#include <boost/json/parse.hpp>

#include "cli/commands/inbox/commands.h"
#include "cli/commands/inbox/own_run.h"
#include "cli/environment.h"
#include "cli/fields.h"
#include "cli/views/columns.h"
#include "wire/inbox/operations.h"

namespace drover::cli {
namespace {

using boost::json::object;

constexpr auto kTypes =
    std::to_array<std::string_view>({"run_complete", "run_skipped", "milestone", "output"});

constexpr auto kOptions = std::to_array<Option>({
    {"data", 0, Takes::text, "JSON", "More about it, for programs", "data"},
    {"key", 0, Takes::text, "KEY", "Reporting again with the same key adds no second report"},
});

Result<int> report(Context& context, const Arguments& arguments) {
  const std::string& type = arguments.words[0];
  if (std::ranges::find(kTypes, type) == kTypes.end()) {
    return fail_invalid("type", "unknown TYPE \"" + clean(type) +
                                    "\": use `run_complete`, `run_skipped`, `milestone` or "
                                    "`output`; to ask, use `drover ask`");
  }
  auto run = own_run("report");
  if (!run) return std::unexpected(run.error());
  object body{{"type", arguments.words[0]}, {"summary", arguments.words[1]}};
  for (const std::string& word : arguments.words) {
    if (auto ok = check_text(word, "summary"); !ok) return std::unexpected(ok.error());
  }
  if (const auto data = arguments.text("data")) {
    boost::system::error_code bad;
    body["data"] = boost::json::parse(*data, bad);
    if (bad) return fail_invalid("data", "--data is not valid JSON: " + bad.message());
  }
  const auto sent =
      send_or_spool(context, {.operation = &wire::inbox::report,
                              .run = std::move(*run),
                              .body = std::move(body),
                              .key = arguments.text("key").value_or(new_message_key())});
  if (!sent) return std::unexpected(sent.error());
  if (!*sent) {
    context.screen.notice(
        "no daemon is running: the report is stored, and the next daemon delivers it");
    return 0;
  }
  if (!context.json) return 0;
  if (auto ok = context.screen.print(json_text(**sent) + "\n"); !ok) {
    return std::unexpected(ok.error());
  }
  return 0;
}

}  // namespace

const Command kReport{
    .name = "report",
    .words = "TYPE SUMMARY",
    .group = Group::automation,
    .summary = "Report to people, from inside a run",
    .help =
        "Report to people in the name of the run that this command is part of.\n\n"
        "`drover inbox --all` and `drover show` print the reports.\n\n"
        "TYPE is `run_complete`, `run_skipped`, `milestone` or `output`. A report of the type "
        "`escalation` is a question: see `drover ask`.\n\n"
        "If no daemon answers, the report is kept in a file, and recorded when the daemon is back.",
    .examples = {{{"drover report run_complete \"42 files backed up\"", "Say how it went."},
                  {"drover report output \"The report is ready\" --data '{\"path\":\"a.pdf\"}'",
                   "Give a result to people and programs."}}},
    .options = kOptions,
    .words_min = 2,
    .words_max = 2,
    .run = report,
};

}  // namespace drover::cli
