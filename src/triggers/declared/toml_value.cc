#include "triggers/declared/toml_value.h"

#include <fmt/format.h>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <cmath>
#include <cstdlib>

namespace drover::triggers {

namespace json = boost::json;

std::optional<json::value> json_of(const toml::node& node, size_t depth_max) {
  if (const auto* text = node.as_string()) return json::string(text->get());
  if (const auto* number = node.as_integer()) return number->get();
  if (const auto* fraction = node.as_floating_point()) {
    if (!std::isfinite(fraction->get())) return std::nullopt;
    return fraction->get();
  }
  if (const auto* flag = node.as_boolean()) return flag->get();
  if (depth_max == 0) return std::nullopt;
  if (const auto* list = node.as_array()) {
    json::array out;
    for (const toml::node& one : *list) {
      auto value = json_of(one, depth_max - 1);
      if (!value) return std::nullopt;
      out.push_back(std::move(*value));
    }
    return out;
  }
  if (const auto* table = node.as_table()) {
    json::object out;
    for (const auto& [name, one] : *table) {
      auto value = json_of(one, depth_max - 1);
      if (!value) return std::nullopt;
      out[name.str()] = std::move(*value);
    }
    return out;
  }
  return std::nullopt;
}

std::optional<std::string> time_text(const toml::node& node) {
  const auto* time = node.as_date_time();
  if (time == nullptr || !time->get().offset) return std::nullopt;
  const toml::date_time& at = time->get();
  const int offset = at.offset->minutes;
  return fmt::format("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}{}{:02}:{:02}", at.date.year,
                     at.date.month, at.date.day, at.time.hour, at.time.minute, at.time.second,
                     offset < 0 ? '-' : '+', std::abs(offset) / 60, std::abs(offset) % 60);
}

}  // namespace drover::triggers
