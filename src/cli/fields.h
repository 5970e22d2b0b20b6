// Reads fields of the daemon's answers. A field that is absent, null or of another type reads as
// empty, so that an older command line works with a newer daemon.
#pragma once

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/plain_numbers.h"
#include "base/text.h"

namespace drover::cli {

inline std::string text_in(const boost::json::object& object, std::string_view key) {
  const boost::json::value* value = object.if_contains(key);
  return value != nullptr && value->is_string() ? std::string(value->get_string()) : "";
}

inline std::optional<std::int64_t> number_in(const boost::json::object& object,
                                             std::string_view key) {
  const boost::json::value* value = object.if_contains(key);
  if (value == nullptr || !value->is_number()) return std::nullopt;
  boost::system::error_code bad;
  const auto number = value->to_number<std::int64_t>(bad);
  return bad ? std::nullopt : std::optional(number);
}

inline bool flag_in(const boost::json::object& object, std::string_view key) {
  const boost::json::value* value = object.if_contains(key);
  return value != nullptr && value->is_bool() && value->get_bool();
}

inline const boost::json::object& object_in(const boost::json::object& object,
                                            std::string_view key) {
  static const boost::json::object kNone;
  const boost::json::value* value = object.if_contains(key);
  return value != nullptr && value->is_object() ? value->get_object() : kNone;
}

inline const boost::json::array& array_in(const boost::json::object& object, std::string_view key) {
  static const boost::json::array kNone;
  const boost::json::value* value = object.if_contains(key);
  return value != nullptr && value->is_array() ? value->get_array() : kNone;
}

// The value as JSON text, for --json and for requests.
template <class Value>
std::string json_text(const Value& value) {
  return escape_controls(plain_numbers(boost::json::serialize(value)));
}

}  // namespace drover::cli
