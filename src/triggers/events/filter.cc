#include "triggers/events/filter.h"

#include <fmt/format.h>
#include <re2/re2.h>

#include <algorithm>
#include <array>
#include <boost/json/serialize.hpp>

#include "base/text.h"
#include "triggers/events/json_compare.h"
#include "triggers/events/json_text.h"
#include "triggers/events/limits.h"

namespace drover::triggers {
namespace {

namespace json = boost::json;

constexpr std::string_view kParam = "filter";
constexpr auto kNames = std::to_array<std::string_view>(
    {"eq", "neq", "contains", "matches", "gt", "lt", "gte", "lte", "in", "nin"});

std::unexpected<Error> bad(std::string reason, std::string message) {
  return fail(ErrorCode::invalid, std::move(reason), std::move(message), std::string(kParam));
}

std::string_view text_of(const json::value& value) {
  return std::string_view(value.get_string());
}

// Levels of nesting, at most one more than `levels_max`.
size_t levels_of(const json::value& value, size_t levels_max) {
  if (!value.is_structured() || levels_max == 0) return value.is_structured() ? 1 : 0;
  size_t deepest = 0;
  const auto visit = [&](const json::value& inner) {
    deepest = std::max(deepest, levels_of(inner, levels_max - 1));
  };
  if (const auto* array = value.if_array()) std::ranges::for_each(*array, visit);
  if (const auto* object = value.if_object()) {
    for (const auto& member : *object) visit(member.value());
  }
  return deepest + 1;
}

Result<> check_value(FilterOp op, const json::value& value) {
  if (levels_of(value, kFilterValueLevelsMax) > kFilterValueLevelsMax ||
      json::serialize(value).size() > kFilterValueBytesMax) {
    return bad("invalid_value", fmt::format("the value of a filter has at most {} bytes and {} "
                                            "levels of nesting",
                                            kFilterValueBytesMax, kFilterValueLevelsMax));
  }
  switch (op) {
    case FilterOp::in:
    case FilterOp::nin:
      if (value.is_array()) return {};
      return bad("invalid_value",
                 fmt::format(R"({} needs a list in JSON, such as ["main","next"])", name(op)));
    case FilterOp::gt:
    case FilterOp::lt:
    case FilterOp::gte:
    case FilterOp::lte:
      if (value.is_number() || value.is_string()) return {};
      return bad("invalid_value", fmt::format("{} needs a number or text", name(op)));
    case FilterOp::matches:
      if (value.is_string()) return {};
      return bad("invalid_value", "matches needs a regular expression as text");
    case FilterOp::eq:
    case FilterOp::neq:
    case FilterOp::contains:
      return {};
  }
  return {};
}

Result<std::shared_ptr<const re2::RE2>> compile(std::string_view expression) {
  if (expression.size() > kExpressionBytesMax) {
    return bad("invalid_expression",
               fmt::format("a regular expression has at most {} bytes", kExpressionBytesMax));
  }
  re2::RE2::Options options;
  options.set_max_mem(kExpressionMemoryBytes);
  options.set_log_errors(false);
  options.set_never_capture(true);
  auto compiled = std::make_shared<const re2::RE2>(
      re2::StringPiece(expression.data(), expression.size()), options);
  if (compiled->ok()) return compiled;
  return bad("invalid_expression",
             fmt::format("invalid regular expression \"{}\": {} (syntax: RE2)",
                         bounded(expression, 80), bounded(compiled->error(), 200)));
}

std::string_view next_word(std::string_view& text) {
  constexpr std::string_view kBlanks = " \t";
  text.remove_prefix(std::min(text.find_first_not_of(kBlanks), text.size()));
  const std::string_view word = text.substr(0, text.find_first_of(kBlanks));
  text.remove_prefix(word.size());
  text.remove_prefix(std::min(text.find_first_not_of(kBlanks), text.size()));
  return word;
}

}  // namespace

std::string_view name(FilterOp op) {
  return kNames[static_cast<size_t>(op)];
}

Result<FilterRule> FilterRule::make(std::string_view field, std::string_view op,
                                    json::value value) {
  FilterRule out;
  auto path = FieldPath::parse(field, kParam);
  if (!path) return std::unexpected(std::move(path.error()));
  out.field_ = std::move(*path);
  const auto* known = std::ranges::find(kNames, op);
  if (known == kNames.end()) {
    return bad("unknown_op", fmt::format("unknown operator \"{}\"; the operators are {}",
                                         bounded(op, 40), fmt::join(kNames, " ")));
  }
  out.op_ = static_cast<FilterOp>(known - kNames.begin());
  if (auto ok = check_value(out.op_, value); !ok) return std::unexpected(std::move(ok.error()));
  if (out.op_ == FilterOp::matches) {
    auto compiled = compile(text_of(value));
    if (!compiled) return std::unexpected(std::move(compiled.error()));
    out.expression_ = std::move(*compiled);
  }
  out.value_ = std::move(value);
  return out;
}

json::object FilterRule::as_json() const {
  return {{"field", field()}, {"op", name(op_)}, {"value", value_}};
}

std::string FilterRule::text() const {
  return fmt::format("{} {} {}", field(), name(op_), json::serialize(value_));
}

Result<FilterRule> parse_rule_text(std::string_view text) {
  const std::string_view field = next_word(text);
  const std::string_view op = next_word(text);
  if (text.empty()) {
    return bad("invalid_filter",
               "a filter has three words: field, operator and value, such as 'payload.size lt "
               "1000'; the empty text is \"\"");
  }
  if (text.size() > kFilterValueBytesMax || !is_utf8(text)) {
    return bad("invalid_value", fmt::format("the value of a filter is UTF-8 of at most {} bytes",
                                            kFilterValueBytesMax));
  }
  json::value value;
  value.emplace_string() = text;
  if (op != name(FilterOp::matches) || text.starts_with('"')) {
    auto read = read_json(
        text, {.bytes_max = kFilterValueBytesMax, .levels_max = kFilterValueLevelsMax}, kParam);
    if (read) value = std::move(*read);
    if (!read && read.error().reason != "invalid_json") {
      return std::unexpected(std::move(read.error()));
    }
  }
  return FilterRule::make(field, op, std::move(value));
}

Result<FilterRule> parse_rule(const json::value& rule) {
  const auto shape = [] {
    return bad("invalid_filter",
               R"(a filter is an object such as {"field":"payload.size","op":"lt","value":1000})");
  };
  const json::object* object = rule.if_object();
  if (object == nullptr || object->size() != 3) return shape();
  const json::value* field = object->if_contains("field");
  const json::value* op = object->if_contains("op");
  const json::value* value = object->if_contains("value");
  if (field == nullptr || op == nullptr || value == nullptr) return shape();
  if (!field->is_string() || !op->is_string()) return shape();
  return FilterRule::make(text_of(*field), text_of(*op), *value);
}

Result<std::vector<FilterRule>> parse_rules(const json::value& rules) {
  const json::array* list = rules.if_array();
  if (list == nullptr) return bad("invalid_filter", "filters are a list of objects");
  if (list->size() > kFilterRulesMax) {
    return bad("too_many_filters", fmt::format("at most {} filters are allowed", kFilterRulesMax));
  }
  std::vector<FilterRule> out;
  for (const json::value& one : *list) {
    auto rule = parse_rule(one);
    if (!rule) return std::unexpected(std::move(rule.error()));
    out.push_back(std::move(*rule));
  }
  return out;
}

}  // namespace drover::triggers
