// Plain text is what a program printed, without what was meant for a terminal: no escape codes, and
// of a line that was written over with carriage returns, backspaces or erasures what stands at
// last. Line by line, however the bytes are cut; a line comes when it is complete. It is no
// terminal: what moves between lines only ends the line it leaves. Pure.
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
  // The line that nothing completed.
  std::string finish();

 private:
  enum class At : std::uint8_t { text, escape, charset, sequence, words, words_escape };

  void take(char c, std::string& out);
  void take_text(char c, std::string& out);
  void take_escape(char c, std::string& out);
  void obey(char last, std::string& out);
  void put(char c);
  void end_line(std::string& out);

  std::vector<std::string> cells_;  // Of the line as it stands; a character each.
  size_t cursor_ = 0;
  At at_ = At::text;
  std::string sequence_;    // Between ESC [ and its last letter.
  size_t words_bytes_ = 0;  // Of a title, say.
};

}  // namespace drover
