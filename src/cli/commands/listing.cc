#include "cli/commands/listing.h"

#include <charconv>

namespace drover::cli {

Result<Listing> read_listing(const Arguments& arguments, size_t default_limit) {
  Listing out{.query = {}, .limit = default_limit};
  for (const char* name : {"state", "lane", "scope"}) {
    if (const auto text = arguments.text(name)) out.query.emplace_back(name, *text);
  }
  for (const std::string& label : arguments.all("label")) out.query.emplace_back("label", label);
  if (const auto text = arguments.text("limit")) {
    const auto [end, bad] = std::from_chars(text->data(), text->data() + text->size(), out.limit);
    if (bad != std::errc{} || end != text->data() + text->size() || out.limit == 0) {
      return fail_invalid("limit", "--limit is a number from 1 on, not " + *text);
    }
  }
  return out;
}

}  // namespace drover::cli
