#include "cli/commands/listing.h"

#include "base/limits.h"
#include "base/number.h"
#include "cli/context.h"
#include "cli/fields.h"
#include "cli/views/table.h"
#include "wire/operations/runs.h"

namespace drover::cli {

Result<std::optional<size_t>> count_of(const Arguments& arguments, std::string_view option) {
  const auto text = arguments.text(option);
  if (!text) return std::nullopt;
  const auto number = whole_number(*text);
  if (number && *number > 0) return static_cast<size_t>(*number);
  return fail_invalid(std::string(option), "invalid --" + std::string(option) + " \"" +
                                               clean(*text) + "\": use a number of at least 1");
}

Result<Listing> read_listing(const Arguments& arguments, size_t default_limit) {
  Listing out{.query = {}, .limit = default_limit};
  for (const char* name : {"state", "lane", "scope"}) {
    if (const auto text = arguments.text(name)) out.query.emplace_back(name, *text);
  }
  for (const std::string& label : arguments.all("label")) out.query.emplace_back("label", label);
  const Result<std::optional<size_t>> limit = count_of(arguments, "limit");
  if (!limit) return std::unexpected(limit.error());
  out.limit = limit->value_or(default_limit);
  return out;
}

Result<boost::json::array> active_runs(Context& context) {
  boost::json::array out;
  std::string cursor;
  do {
    Call call{.query = {{"active", "true"}, {"limit", std::to_string(limits::kPageMax)}}};
    if (!cursor.empty()) call.query.emplace_back("cursor", cursor);
    const Result<boost::json::object> page = context.client.ask(wire::runs::list, call);
    if (!page) return std::unexpected(page.error());
    const boost::json::array& runs = array_in(*page, "runs");
    out.insert(out.end(), runs.begin(), runs.end());
    cursor = text_in(*page, "next_cursor");
  } while (!cursor.empty());
  return out;
}

}  // namespace drover::cli
