#include "triggers/explain/failed_value.h"

#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <string_view>
#include <utility>

#include "base/text.h"
#include "triggers/events/field_path.h"
#include "triggers/events/filter.h"

namespace drover::triggers {
namespace {

constexpr size_t kValueBytesMax = 200;  // Of a line that a person reads.

// A name with a blank looks like a name and the operator that follows it.
bool begins_with_operator(std::string_view rest) {
  const std::string_view word = rest.substr(0, rest.find(' '));
  for (int i = 0; i <= std::to_underlying(FilterOp::nin); ++i) {
    if (word == name(static_cast<FilterOp>(i))) return true;
  }
  return false;
}

}  // namespace

std::optional<boost::json::value> failed_value(const Occurrence& row) {
  constexpr std::string_view kFilter = "filter: filter ";
  std::string_view rule = row.reason;
  if (row.outcome != Outcome::skipped || !rule.starts_with(kFilter)) return std::nullopt;
  rule.remove_prefix(kFilter.size());
  const size_t end = rule.find(' ');
  if (end == std::string_view::npos || !begins_with_operator(rule.substr(end + 1))) {
    return std::nullopt;
  }
  const auto path = FieldPath::parse(rule.substr(0, end), "filters");
  boost::system::error_code bad;
  const boost::json::value event = boost::json::parse(row.event, bad);
  const boost::json::value* value = path && !bad ? path->find_in(event) : nullptr;
  if (value == nullptr) return std::nullopt;
  const std::string text =
      value->is_string() ? std::string(value->get_string()) : boost::json::serialize(*value);
  if (text.size() <= kValueBytesMax) return *value;
  return boost::json::value(bounded(text, kValueBytesMax));
}

}  // namespace drover::triggers
