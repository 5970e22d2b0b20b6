#include "testing/schema.h"

#include <algorithm>
#include <boost/json/array.hpp>
#include <boost/json/serialize.hpp>
#include <regex>

namespace drover::testing {
namespace {

namespace json = boost::json;

bool is_of(const json::value& value, std::string_view type) {
  if (type == "integer") return value.is_int64() || value.is_uint64();
  if (type == "number") return value.is_number();
  if (type == "string") return value.is_string();
  if (type == "boolean") return value.is_bool();
  if (type == "null") return value.is_null();
  if (type == "array") return value.is_array();
  return type == "object" && value.is_object();
}

bool is_of_any(const json::value& value, const json::value& types) {
  if (types.is_string()) return is_of(value, types.as_string());
  return std::ranges::any_of(types.as_array(),
                             [&](const json::value& t) { return is_of(value, t.as_string()); });
}

std::optional<std::string> misfit_of_fields(const json::object& value, const json::object& schema,
                                            const json::object& document,
                                            const std::string& where) {
  if (const auto* required = schema.if_contains("required")) {
    for (const json::value& name : required->as_array()) {
      if (!value.contains(name.as_string())) {
        return where + " lacks " + std::string(name.as_string());
      }
    }
  }
  const json::value* known = schema.if_contains("properties");
  const json::value* others = schema.if_contains("additionalProperties");
  for (const auto& [name, field] : value) {
    const std::string there = where + "." + std::string(name);
    const json::value* form = known == nullptr ? nullptr : known->as_object().if_contains(name);
    if (form == nullptr && others != nullptr && others->is_object()) form = others;
    if (form != nullptr) {
      if (auto bad = misfit(field, *form, document, there)) return bad;
    } else if (!(others != nullptr && others->is_bool() && others->as_bool()) &&
               !schema.contains("allOf")) {
      return there + " is not described";
    }
  }
  return std::nullopt;
}

}  // namespace

std::optional<std::string> misfit(const json::value& value, const json::value& form,
                                  const json::object& document, const std::string& where) {
  const json::object& schema = form.as_object();
  if (const auto* ref = schema.if_contains("$ref")) {
    // "#/components/schemas/Run": resolved step by step from the top.
    std::string path = std::string(ref->as_string()).substr(2);
    const json::value* at = nullptr;
    const json::object* in = &document;
    for (size_t end = 0; in != nullptr && !path.empty(); path.erase(0, end + 1)) {
      end = std::min(path.find('/'), path.size());
      at = in->if_contains(path.substr(0, end));
      in = at == nullptr ? nullptr : at->if_object();
      if (end == path.size()) break;
    }
    if (at == nullptr) return where + " refers to nothing: " + json::serialize(*ref);
    return misfit(value, *at, document, where);
  }
  if (const auto* types = schema.if_contains("type"); types && !is_of_any(value, *types)) {
    return where + " is " + json::serialize(value) + ", not " + json::serialize(*types);
  }
  if (const auto* words = schema.if_contains("enum")) {
    const auto& list = words->as_array();
    if (std::ranges::find(list, value) == list.end()) {
      return where + " is not one of the allowed values: " + json::serialize(value);
    }
  }
  if (const auto* pattern = schema.if_contains("pattern"); pattern && value.is_string()) {
    if (!std::regex_search(std::string(value.as_string()),
                           std::regex(std::string(pattern->as_string())))) {
      return where + " does not match the pattern: " + json::serialize(value);
    }
  }
  if (const auto* forms = schema.if_contains("oneOf")) {
    const auto fits = [&](const json::value& one) {
      return !misfit(value, one, document, where).has_value();
    };
    if (std::ranges::count_if(forms->as_array(), fits) != 1) {
      return where + " has not exactly one of the forms: " + json::serialize(value);
    }
    return std::nullopt;
  }
  if (const auto* all = schema.if_contains("allOf")) {
    for (const json::value& one : all->as_array()) {
      if (auto bad = misfit(value, one, document, where)) return bad;
    }
  }
  if (const auto* items = schema.if_contains("items"); items && value.is_array()) {
    size_t i = 0;
    for (const json::value& item : value.as_array()) {
      const std::string there = where + "[" + std::to_string(i++) + "]";
      if (auto bad = misfit(item, *items, document, there)) return bad;
    }
  }
  if (!value.is_object()) return std::nullopt;
  return misfit_of_fields(value.as_object(), schema, document, where);
}

}  // namespace drover::testing
