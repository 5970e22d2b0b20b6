// A filter is a list of rules on an event; a trigger fires only if every rule holds. A rule names a
// field of the event's JSON form (field_path.h), an operator and a value:
//
//   --filter 'payload.size lt 1000'        --filter 'payload.ref matches ^refs/tags/v[0-9]+'
//   {"field": "payload.branch", "op": "in", "value": ["main", "next"]}
//
//   eq neq           The field equals the value, or does not (json_compare.h).
//   in nin           The field equals one element of the value, a list; or none of them.
//   gt lt gte lte    Both are numbers, compared exactly, or both text, compared byte by byte. Times
//                    are text: compare times in UTC that are written in the same form.
//   contains         The field is text and the value is a part of it; or the field is a list and
//                    the value equals an element; or the field is an object and the value a key.
//   matches          The field is text, and RE2 finds the expression anywhere in it; ^ and $ anchor
//                    it.
//
// Of a missing field only neq and nin hold; a null is not missing. If the kinds of field and value
// do not fit the operator, eq, in, gt, lt, gte, lte, contains and matches do not hold, and neq and
// nin hold. All expressions of a filter together do at most kMatchWorkMax work on one event; a rule
// that would exceed it does not hold. Pure; rules may be copied and used on any thread.
#pragma once

#include <boost/json/object.hpp>
#include <boost/json/value.hpp>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "triggers/events/field_path.h"

namespace re2 {
class RE2;
}

namespace drover::triggers {

enum class FilterOp : std::uint8_t { eq, neq, contains, matches, gt, lt, gte, lte, in, nin };
std::string_view name(FilterOp op);

class FilterRule {
 public:
  // Errors have the param `filter` and the reasons `invalid_path`, `unknown_op`, `invalid_value` or
  // `invalid_expression`, the last with RE2's message.
  static Result<FilterRule> make(std::string_view field, std::string_view op,
                                 boost::json::value value);

  const std::string& field() const { return field_.text(); }
  FilterOp op() const { return op_; }
  const boost::json::value& value() const { return value_; }
  const FieldPath& path() const { return field_; }
  const re2::RE2* expression() const { return expression_.get(); }  // Set for `matches` alone.
  boost::json::object as_json() const;  // {"field","op","value"}: `parse_rules` reads it back.
  std::string text() const;             // payload.size lt 1000

 private:
  FilterRule() = default;
  FieldPath field_;
  FilterOp op_ = FilterOp::eq;
  boost::json::value value_;
  std::shared_ptr<const re2::RE2> expression_;  // Of `matches`; copies of the rule share it.
};

// Three words, separated by blanks: field, operator, value. The value is the rest of the text, read
// as JSON, or as text if it is not JSON: `eq main` and `eq "main"` are the same, `eq "5"` is text.
// The value of `matches` is JSON only if it begins with a quotation mark.
Result<FilterRule> parse_rule_text(std::string_view text);
// {"field","op","value"}, and nothing else.
Result<FilterRule> parse_rule(const boost::json::value& rule);
// A list of at most kFilterRulesMax such objects.
Result<std::vector<FilterRule>> parse_rules(const boost::json::value& rules);

struct FilterVerdict {
  std::optional<size_t> failed;  // The first rule that does not hold, from 0. Not set: all hold.
  // For the ledger: names that rule and why it failed. It contains nothing of the payload.
  std::string reason;

  bool passes() const { return !failed; }
};

// `event` is the JSON form of an event (envelope.h), or any document read within its limits.
FilterVerdict evaluate(std::span<const FilterRule> rules, const boost::json::value& event);

}  // namespace drover::triggers
