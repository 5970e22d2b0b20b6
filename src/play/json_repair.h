// Programs print JSON that the standard does not allow and everybody reads: NaN and Infinity, half
// of a surrogate pair, comments. These functions turn it into what the parser accepts. Pure.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace drover::play {

// Where in a JSON text a character stands. A text or a comment that is not closed on its line ends
// with the line, so that none can swallow the lines after it.
class JsonPlace {
 public:
  void step(char c);
  bool is_value() const { return at_ == At::value || at_ == At::slash; }
  bool is_text() const { return at_ == At::text || at_ == At::escape; }

 private:
  enum class At : std::uint8_t { value, slash, text, escape, line_comment, comment, star };
  At at_ = At::value;
};

// `lines` are whole lines of a JSON text, or its end. Comments become blanks, NaN and Infinity
// null, lone surrogates U+FFFD.
std::string repair_json(std::string_view lines);

}  // namespace drover::play
