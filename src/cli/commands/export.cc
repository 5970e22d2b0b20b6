// drover export: writes the records of runs for other programs.
#include <array>

#include "base/limits.h"
#include "cli/commands/commands.h"
#include "cli/commands/listing.h"
#include "cli/context.h"
#include "cli/fields.h"
#include "cli/views/csv.h"
#include "wire/operations/runs.h"

namespace drover::cli {
namespace {

using boost::json::object;

constexpr auto kOptions = std::to_array<Option>({
    {"format", 0, Takes::text, "jsonl|csv",
     "Format of the output (default jsonl, one record a line)"},
    {"state", 0, Takes::text, "STATE", "Show only runs in this state, such as failed", "state"},
    {"label", 'l', Takes::many, "K=V", "Show only runs with this label; may be repeated", "label"},
    {"lane", 0, Takes::text, "LANE", "Show only runs of this lane", "lane"},
    {"scope", 0, Takes::text, "SCOPE", "Show only runs of this scope and the scopes below it",
     "scope"},
    {"limit", 'n', Takes::text, "N", "Show at most N runs", "limit"},
});

// Exports page by page: a million runs take no more memory than a thousand.
Result<int> export_runs(Context& context, const Arguments& arguments) {
  const std::string format = arguments.text("format").value_or("jsonl");
  if (format != "jsonl" && format != "csv") {
    return fail_invalid("format", "invalid --format \"" + format + "\": use jsonl or csv");
  }
  Result<Listing> listing = read_listing(arguments, kAnyNumber);
  if (!listing) return std::unexpected(listing.error());
  const bool csv = format == "csv";
  if (csv) {
    if (auto ok = context.screen.print(csv_head()); !ok) return std::unexpected(ok.error());
  }
  std::string cursor;
  for (size_t left = listing->limit; left > 0;) {
    Call call{.query = listing->query};
    call.query.emplace_back("limit", std::to_string(std::min(left, limits::kPageMax)));
    if (!cursor.empty()) call.query.emplace_back("cursor", cursor);
    const Result<object> page = context.client.ask(wire::runs::list, call);
    if (!page) return std::unexpected(page.error());
    std::string text;
    for (const boost::json::value& run : array_in(*page, "runs")) {
      text += csv ? csv_line(run.get_object()) : json_text(run) + "\n";
    }
    if (auto ok = context.screen.print(text); !ok) return std::unexpected(ok.error());
    left -= std::min(left, array_in(*page, "runs").size());
    cursor = text_in(*page, "next_cursor");
    if (cursor.empty()) break;
  }
  return 0;
}

}  // namespace

const Command kExport{
    .name = "export",
    .words = {},
    .group = Group::automation,
    .summary = "Export runs as JSON lines or CSV",
    .help =
        "Print the records of runs as JSON lines or CSV, newest first.\n\n"
        "Without filters, it prints all runs.",
    .examples = {{{"drover export --format csv > runs.csv", "Export all runs into a table."},
                  {"drover export --state failed -n 100",
                   "Print the latest 100 failed runs as JSON."}}},
    .options = kOptions,
    .run = export_runs,
};

}  // namespace drover::cli
