#include "config/outside_text.h"

#include <algorithm>
#include <string>

namespace drover::config {
namespace {

// The length of the text at the start, quotes included. A text without an end ends with its line,
// or with the file.
size_t text_size(std::string_view toml) {
  const char quote = toml.front();
  const bool escapes = quote == '"';
  const auto quotes_at = [&](size_t at) {
    return std::min(toml.find_first_not_of(quote, at), toml.size()) - at;
  };
  const size_t opening = quotes_at(0);
  if (opening == 2) return 2;
  const bool is_long = opening >= 3;
  for (size_t at = is_long ? 3 : 1; at < toml.size(); ++at) {
    if (toml[at] == '\\' && escapes) {
      ++at;
    } else if (toml[at] == '\n' && !is_long) {
      return at;
    } else if (toml[at] == quote && !is_long) {
      return at + 1;
    } else if (toml[at] == quote && quotes_at(at) >= 3) {
      // Up to two quotes may precede the three that end it.
      return at + std::min<size_t>(quotes_at(at), 5);
    }
  }
  return toml.size();
}

// Tracks whether the current position is in a key. A value may contain dots (1.5), and keys.
class Place {
 public:
  bool in_key() const { return !in_value_; }
  void pass(char c) {
    const bool nested = !open_.empty();
    if (c == '=' || (nested && (c == ']' || c == '}'))) {
      if (c != '=') open_.pop_back();
      in_value_ = true;
    } else if (in_value_ && (c == '[' || c == '{')) {
      open_ += c;
      in_value_ = c == '[';
    } else if (c == ',' && nested) {
      in_value_ = open_.back() == '[';
    } else if (c == '\n' && !nested) {
      in_value_ = false;
    }
  }

 private:
  bool in_value_ = false;
  std::string open_;  // The arrays and inline tables around the position.
};

}  // namespace

OutsideText look_outside_text(std::string_view toml) {
  constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
  OutsideText out;
  Place place;
  for (size_t at = toml.starts_with(kByteOrderMark) ? kByteOrderMark.size() : 0;
       at < toml.size();) {
    const char c = toml[at];
    if (c == '"' || c == '\'') {
      at += text_size(toml.substr(at));
      continue;
    }
    if (c == '#') {
      at = std::min(toml.find('\n', at), toml.size());
      continue;
    }
    if (c == '.' && place.in_key()) ++out.dots;
    place.pass(c);
    if ((static_cast<unsigned char>(c) & 0x80) != 0 && !out.foreign_line) {
      out.foreign_line = 1 + static_cast<size_t>(std::ranges::count(toml.substr(0, at), '\n'));
    }
    ++at;
  }
  return out;
}

}  // namespace drover::config
