#include "cmd/prose.h"

#include <algorithm>

namespace drover::literals {
namespace {

std::string_view trimmed(std::string_view line) {
  line.remove_prefix(std::min(line.find_first_not_of(" >"), line.size()));
  return line;
}

// "- text", "* text", "12. text".
bool begins_item(std::string_view line) {
  if (line.starts_with("- ") || line.starts_with("* ")) return true;
  const size_t digits = std::min(line.find_first_not_of("0123456789"), line.size());
  return digits > 0 && line.substr(digits).starts_with(". ");
}

std::string without_marks(std::string_view line) {
  if (begins_item(line)) line.remove_prefix(line.find(' ') + 1);
  if (line.starts_with('#')) line.remove_prefix(std::min(line.find(' ') + 1, line.size()));
  return std::string(line);
}

// Removes `code`, the addresses of links, and marks of emphasis.
std::string plain(std::string_view text) {
  std::string out;
  bool code = false;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '`') code = !code;
    if (text.substr(i).starts_with("](")) i = std::min(text.find(')', i), text.size() - 1);
    if (!code && text[i] != '*') out += text[i];
  }
  return out;
}

struct Line {
  size_t number = 0;
  std::string_view text;  // Without indentation.
  std::string_view whole;
};

// The lines outside code blocks.
std::vector<Line> lines_of(std::string_view document) {
  std::vector<Line> out;
  bool fenced = false;
  for (size_t number = 1; !document.empty(); ++number) {
    const std::string_view line = document.substr(0, document.find('\n'));
    document.remove_prefix(std::min(document.size(), line.size() + 1));
    const bool fence = trimmed(line).starts_with("```");
    if (fence) fenced = !fenced;
    if (fence || fenced) {
      out.push_back({.number = number, .text = "", .whole = ""});
    } else {
      out.push_back({.number = number, .text = trimmed(line), .whole = line});
    }
  }
  return out;
}

}  // namespace

std::vector<Prose> read_prose(std::string_view document) {
  std::vector<Prose> out;
  bool open = false;  // The next line continues the last text.
  for (const Line& line : lines_of(document)) {
    const bool heading = line.text.starts_with('#');
    const bool row = line.text.starts_with('|');
    if (line.text.empty() || line.text.starts_with("<!--")) {
      open = false;
      continue;
    }
    if (open && !heading && !row && !begins_item(line.text)) {
      out.back().text += " " + std::string(line.text);
      continue;
    }
    out.push_back({.line = line.number,
                   .part = heading ? Part::heading
                           : row   ? Part::row
                                   : Part::sentences,
                   .text = without_marks(line.text)});
    open = !heading && !row;
  }
  for (Prose& prose : out) prose.text = plain(prose.text);
  return out;
}

std::vector<std::string> long_lines(std::string_view document, size_t most) {
  std::vector<std::string> out;
  for (const Line& line : lines_of(document)) {
    const auto characters = static_cast<size_t>(std::ranges::count_if(
        line.whole, [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; }));
    if (characters <= most || line.text.starts_with('|') || line.text.starts_with('<')) continue;
    if (line.text.find(' ') == std::string_view::npos) continue;
    out.push_back(std::to_string(line.number) + ": " + std::string(line.text));
  }
  return out;
}

}  // namespace drover::literals
