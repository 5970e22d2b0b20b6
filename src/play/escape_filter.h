// EscapeFilter removes from a program's output the bytes that only a terminal understands: escape
// sequences (colors, links) and NULs. Other control characters become spaces; newlines and carriage
// returns stay. Unlike base/plain_text.h it keeps all lines as they were printed, and bytes that
// are not UTF-8. Pure; pieces may be cut anywhere.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace drover::play {

class EscapeFilter {
 public:
  std::string take(std::string_view bytes);
  // An unfinished sequence is ordinary text: hiding it could hide a diagnostic.
  std::string rest();

 private:
  enum class Mode : std::uint8_t { text, escape, charset, control, string, string_escape };

  void one(char c, std::string& out);
  void give_back(std::string& out);

  Mode mode_ = Mode::text;
  std::string held_;  // The unfinished sequence, without its escape character.
};

}  // namespace drover::play
