// Plain text is a program's output without terminal control: no escape codes, and each line as it
// looks after its carriage returns, backspaces and erasures. Works line by line, however the bytes
// are cut; a line is returned when it is complete. Not a terminal emulator: a cursor movement to
// another line only ends the current one. Pure.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace drover {

class PlainText {
 public:
  // The lines that `bytes` completes.
  std::string pass(std::string_view bytes);
  // The last line, if it is incomplete.
  std::string finish();

 private:
  enum class At : std::uint8_t { text, escape, charset, sequence, string, string_escape };

  void take(char c, std::string& out);
  void take_text(char c, std::string& out);
  void take_escape(char c, std::string& out);
  void obey(char last, std::string& out);
  void put(char c);
  void end_line(std::string& out);

  std::vector<std::string> cells_;  // The current line, one character per cell.
  size_t cursor_ = 0;
  At at_ = At::text;
  std::string sequence_;     // Between ESC [ and its final letter.
  size_t string_bytes_ = 0;  // Length of a title, for example.
};

}  // namespace drover
