#include <fmt/format.h>
#include <re2/re2.h>

#include <algorithm>

#include "triggers/events/filter.h"
#include "triggers/events/json_compare.h"
#include "triggers/events/limits.h"

namespace drover::triggers {
namespace {

namespace json = boost::json;

std::string_view text_of(const json::value& value) {
  return std::string_view(value.get_string());
}

bool is_in(const json::value& field, const json::value& list) {
  return std::ranges::any_of(list.get_array(),
                             [&](const json::value& one) { return is_equal(field, one); });
}

bool contains(const json::value& field, const json::value& part) {
  if (field.is_array()) return is_in(part, field);
  if (!part.is_string()) return false;
  if (field.is_string()) return text_of(field).contains(text_of(part));
  return field.is_object() && field.get_object().contains(text_of(part));
}

enum class RuleOutcome : std::uint8_t { holds, missing, too_long, fails };

// One evaluation of a filter on one event.
class Evaluation {
 public:
  RuleOutcome ask(const FilterRule& rule, const json::value& event) {
    const json::value* field = rule.path().find_in(event);
    const bool negates = rule.op() == FilterOp::neq || rule.op() == FilterOp::nin;
    if (field == nullptr) return negates ? RuleOutcome::holds : RuleOutcome::missing;
    if (rule.op() == FilterOp::matches) return match(rule, *field);
    return holds(rule, *field) ? RuleOutcome::holds : RuleOutcome::fails;
  }

 private:
  static bool holds(const FilterRule& rule, const json::value& field) {
    const json::value& value = rule.value();
    switch (rule.op()) {
      case FilterOp::eq:
        return is_equal(field, value);
      case FilterOp::neq:
        return !is_equal(field, value);
      case FilterOp::in:
        return is_in(field, value);
      case FilterOp::nin:
        return !is_in(field, value);
      case FilterOp::contains:
        return contains(field, value);
      // Values without an order compare as false with every one of these.
      case FilterOp::gt:
        return order(field, value) == std::strong_ordering::greater;
      case FilterOp::lt:
        return order(field, value) == std::strong_ordering::less;
      case FilterOp::gte: {
        const auto found = order(field, value);
        return found && *found >= 0;
      }
      case FilterOp::lte: {
        const auto found = order(field, value);
        return found && *found <= 0;
      }
      case FilterOp::matches:
        return false;
    }
    return false;
  }

  RuleOutcome match(const FilterRule& rule, const json::value& field) {
    if (!field.is_string()) return RuleOutcome::fails;
    const std::string_view text = text_of(field);
    const re2::RE2& expression = *rule.expression();
    // Size and length are bounded, so the product cannot overflow.
    const auto size = static_cast<std::uint64_t>(std::max(expression.ProgramSize(), 1));
    const std::uint64_t work = size * text.size();
    if (work > work_left_) return RuleOutcome::too_long;
    work_left_ -= work;
    return re2::RE2::PartialMatch(re2::StringPiece(text.data(), text.size()), expression)
               ? RuleOutcome::holds
               : RuleOutcome::fails;
  }

  std::uint64_t work_left_ = kMatchWorkMax;
};

std::string_view why(RuleOutcome answer) {
  if (answer == RuleOutcome::missing) return "the field is missing";
  if (answer == RuleOutcome::too_long) return "the text is too long for this expression";
  return "it does not hold";
}

}  // namespace

FilterVerdict evaluate(std::span<const FilterRule> rules, const json::value& event) {
  Evaluation evaluation;
  for (size_t i = 0; i < rules.size(); ++i) {
    const RuleOutcome answer = evaluation.ask(rules[i], event);
    if (answer == RuleOutcome::holds) continue;
    return {.failed = i, .reason = fmt::format("filter {}: {}", rules[i].text(), why(answer))};
  }
  return {};
}

}  // namespace drover::triggers
