#include "base/plain_numbers.h"

#include <array>
#include <charconv>

namespace drover {
namespace {

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

bool is_of_number(char c) {
  return is_digit(c) || c == '.' || c == 'E' || c == 'e' || c == '-' || c == '+';
}

// Whether the text seems to contain an exponent; nearly always it does not, and stays unchanged.
bool has_exponent(const std::string& json) {
  for (size_t at = json.find('E'); at != std::string::npos; at = json.find('E', at + 1)) {
    if (at > 0 && at + 1 < json.size() && is_digit(json[at - 1]) &&
        (is_digit(json[at + 1]) || json[at + 1] == '-')) {
      return true;
    }
  }
  return false;
}

}  // namespace

std::string plain_numbers(std::string json) {
  if (!has_exponent(json)) return json;
  std::string out;
  out.reserve(json.size());
  bool in_text = false;
  for (size_t i = 0; i < json.size();) {
    const bool begins = !in_text && (json[i] == '-' || is_digit(json[i]));
    if (!begins) {
      if (in_text && json[i] == '\\' && i + 1 < json.size()) {
        out += json[i++];
      } else if (json[i] == '"') {
        in_text = !in_text;
      }
      out += json[i++];
      continue;
    }
    size_t end = i;
    while (end < json.size() && is_of_number(json[end])) ++end;
    const std::string_view number(json.data() + i, end - i);
    double value = 0;
    std::array<char, 32> text{};
    if (number.find('E') == std::string_view::npos ||
        std::from_chars(number.data(), number.data() + number.size(), value).ec != std::errc{}) {
      out += number;
    } else {
      const auto written = std::to_chars(text.data(), text.data() + text.size(), value);
      out.append(text.data(), written.ptr);
    }
    i = end;
  }
  return out;
}

}  // namespace drover
