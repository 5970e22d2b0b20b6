#include "triggers/events/json_text.h"

#include <fmt/format.h>

#include <boost/json/basic_parser_impl.hpp>
#include <boost/json/value_stack.hpp>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <exception>
#include <string>

namespace drover::triggers {
namespace {

namespace json = boost::json;
using boost::system::error_code;

// Builds the value from the parser's calls. Returning false with an error stops the parser; the
// names and signatures of the functions are those of boost::json::basic_parser.
class Builder {
 public:
  static constexpr size_t max_object_size = json::object::max_size();
  static constexpr size_t max_array_size = json::array::max_size();
  static constexpr size_t max_key_size = json::string::max_size();
  static constexpr size_t max_string_size = json::string::max_size();

  Builder() { stack_.reset(); }

  bool on_document_begin(error_code&) { return true; }
  bool on_document_end(error_code&) { return true; }
  bool on_object_begin(error_code&) { return true; }
  bool on_object_end(size_t keys, error_code&) { return stack_.push_object(keys), true; }
  bool on_array_begin(error_code&) { return true; }
  bool on_array_end(size_t elements, error_code&) { return stack_.push_array(elements), true; }
  bool on_key_part(std::string_view part, size_t, error_code&) {
    return stack_.push_chars(part), true;
  }
  bool on_key(std::string_view part, size_t, error_code&) { return stack_.push_key(part), true; }
  bool on_string_part(std::string_view part, size_t, error_code&) {
    return stack_.push_chars(part), true;
  }
  bool on_string(std::string_view part, size_t, error_code&) {
    return stack_.push_string(part), true;
  }
  bool on_number_part(std::string_view part, error_code&) { return digits_ += part, true; }
  bool on_int64(std::int64_t number, std::string_view, error_code&) {
    digits_.clear();
    return stack_.push_int64(number), true;
  }
  bool on_uint64(std::uint64_t number, std::string_view, error_code&) {
    digits_.clear();
    return stack_.push_uint64(number), true;
  }
  bool on_double(double approximate, std::string_view part, error_code& stop) {
    digits_ += part;
    double exact = 0;
    const auto [_, wrong] = std::from_chars(digits_.data(), digits_.data() + digits_.size(), exact);
    digits_.clear();
    // from_chars reports numbers near zero like huge ones, without a value. Those near zero are 0.
    if (wrong != std::errc{} && std::abs(approximate) > 1) {
      stop = json::error::exponent_overflow;
      return false;
    }
    return stack_.push_double(exact), true;
  }
  bool on_bool(bool flag, error_code&) { return stack_.push_bool(flag), true; }
  bool on_null(error_code&) { return stack_.push_null(), true; }
  bool on_comment_part(std::string_view, error_code&) { return true; }
  bool on_comment(std::string_view, error_code&) { return true; }

  json::value release() { return stack_.release(); }

 private:
  json::value_stack stack_;
  std::string digits_;  // Of a number so far.
};

std::unexpected<Error> refuse(error_code why, size_t at, const JsonLimits& limits,
                              std::string_view param) {
  const auto invalid = [&](std::string reason, std::string message) {
    return fail(ErrorCode::invalid, std::move(reason), std::move(message), std::string(param));
  };
  if (why == json::error::too_deep) {
    return invalid("too_deep", fmt::format("{} is nested too deeply; at most {} levels are allowed",
                                           param, limits.levels_max));
  }
  if (why == json::error::exponent_overflow) {
    return invalid(
        "number_out_of_range",
        fmt::format("{} has a number beyond 1.8e308 near byte {}; send it as text", param, at));
  }
  return invalid("invalid_json",
                 fmt::format("{} is not valid JSON: {} near byte {}", param, why.message(), at));
}

}  // namespace

Result<json::value> read_json(std::string_view text, const JsonLimits& limits,
                              std::string_view param) {
  if (text.size() > limits.bytes_max) {
    return fail(ErrorCode::exhausted, "too_large",
                fmt::format("{} has {} bytes; at most {} are allowed", param, text.size(),
                            limits.bytes_max),
                std::string(param));
  }
  try {
    json::parse_options options;
    options.max_depth = limits.levels_max;
    json::basic_parser<Builder> parser(options);
    error_code why;
    const size_t read = parser.write_some(false, text.data(), text.size(), why);
    if (!why && read < text.size()) why = json::error::extra_data;
    if (why) return refuse(why, read, limits, param);
    return parser.handler().release();
  } catch (const std::exception&) {  // Out of memory.
    return fail(ErrorCode::unavailable, "out_of_memory",
                fmt::format("not enough memory to read {}; try again later", param),
                std::string(param));
  }
}

std::optional<std::string_view> raw_member(std::string_view object, std::string_view key) {
  std::optional<std::string_view> found;
  std::string_view member;  // The key that was read last on the first level.
  size_t levels = 0;
  size_t begin = 0;  // Of the value of `member`; 0: no key was read yet.
  for (size_t at = 0; at < object.size(); ++at) {
    const char c = object[at];
    if (c == '"') {
      size_t end = at + 1;
      while (end < object.size() && object[end] != '"') end += object[end] == '\\' ? 2 : 1;
      if (begin == 0) member = object.substr(at + 1, end - at - 1);
      at = end;
    } else if (c == ':' && levels == 1) {
      begin = at + 1;
    } else if (levels == 1 && begin != 0 && (c == ',' || c == '}')) {
      if (member == key) found = object.substr(begin, at - begin);
      begin = 0;
    }
    if (c == '{' || c == '[') ++levels;
    if (c == '}' || c == ']') --levels;
  }
  return found;
}

}  // namespace drover::triggers
