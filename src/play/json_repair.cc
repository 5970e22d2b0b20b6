#include "play/json_repair.h"

#include <algorithm>
#include <array>
#include <optional>

#include "play/blocking_text.h"

namespace drover::play {
namespace {

constexpr auto kNumbers = std::to_array<std::string_view>({"NaN", "Infinity"});

bool is_word(char c) {
  return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || c == '_';
}

// The number of characters of such a number at the beginning of `text`, with its sign; 0: none.
size_t odd_number(std::string_view text) {
  const size_t sign = text.starts_with('-') || text.starts_with('+') ? 1 : 0;
  for (const std::string_view word : kNumbers) {
    const size_t end = sign + word.size();
    if (!text.substr(sign).starts_with(word)) continue;
    if (end == text.size() || !is_word(text[end])) return end;
  }
  return 0;
}

// The number in `\ud83d`; empty: there is no such escape at the beginning of `text`.
std::optional<unsigned> unit_at(std::string_view text) {
  if (text.size() < 6 || !text.starts_with("\\u")) return std::nullopt;
  unsigned unit = 0;
  for (const char c : text.substr(2, 4)) {
    const bool is_digit = c >= '0' && c <= '9';
    const char lower = static_cast<char>(c | 0x20);
    if (!is_digit && (lower < 'a' || lower > 'f')) return std::nullopt;
    unit = unit * 16 + static_cast<unsigned>(is_digit ? c - '0' : lower - 'a' + 10);
  }
  return unit;
}

bool is_high(unsigned unit) {
  return unit >= 0xd800 && unit < 0xdc00;
}
bool is_low(unsigned unit) {
  return unit >= 0xdc00 && unit < 0xe000;
}

// The length of the comment at the beginning of `text`; 0: none, or it is not closed on its line,
// or it has blocking text: such an object cannot be read.
size_t comment_at(std::string_view text) {
  const size_t line = std::min(text.find('\n'), text.size());
  size_t end = 0;
  if (text.starts_with("//")) end = line;
  if (text.starts_with("/*")) {
    const size_t close = text.find("*/", 2);
    if (close == std::string_view::npos || close > line) return 0;
    end = close + 2;
  }
  return has_blocking_text(text.substr(0, end)) ? 0 : end;
}

// Replaces what stands at the beginning of `rest`; returns how much of it was read.
size_t repair_value(std::string_view rest, char before, std::string& out) {
  if (const size_t comment = comment_at(rest); comment > 0) {
    out += ' ';
    return comment;
  }
  if (const size_t number = is_word(before) ? 0 : odd_number(rest); number > 0) {
    out += "null";
    return number;
  }
  out += rest.front();
  return 1;
}

// An escape sequence in a text.
size_t repair_escape(std::string_view rest, std::string& out) {
  const auto unit = unit_at(rest);
  if (unit && (is_high(*unit) || is_low(*unit))) {
    const auto next = is_high(*unit) ? unit_at(rest.substr(6)) : std::nullopt;
    const bool is_pair = next && is_low(*next);
    out.append(is_pair ? rest.substr(0, 12) : std::string_view("\\ufffd"));
    return is_pair ? 12 : 6;
  }
  const size_t taken = std::min<size_t>(rest.size(), 2);
  out.append(rest.substr(0, taken));
  return taken;
}

}  // namespace

void JsonPlace::step(char c) {
  if (c == '\n') {
    at_ = At::value;
    return;
  }
  switch (at_) {
    case At::value:
      at_ = c == '"' ? At::text : c == '/' ? At::slash : At::value;
      return;
    case At::slash:
      at_ = c == '/' ? At::line_comment : c == '*' ? At::comment : c == '"' ? At::text : At::value;
      return;
    case At::text:
      at_ = c == '\\' ? At::escape : c == '"' ? At::value : At::text;
      return;
    case At::escape:
      at_ = At::text;
      return;
    case At::line_comment:
      return;
    case At::comment:
    case At::star:
      at_ = c == '*' ? At::star : c == '/' && at_ == At::star ? At::value : At::comment;
      return;
  }
}

std::string repair_json(std::string_view lines) {
  std::string out;
  out.reserve(lines.size());
  bool quoted = false;
  for (size_t at = 0; at < lines.size();) {
    const std::string_view rest = lines.substr(at);
    const char c = rest.front();
    if (quoted && c == '\\') {
      at += repair_escape(rest, out);
      continue;
    }
    if (!quoted && c != '"') {
      at += repair_value(rest, at == 0 ? ' ' : lines[at - 1], out);
      continue;
    }
    if (c == '"') quoted = !quoted;
    if (c == '\n') quoted = false;
    out += c;
    ++at;
  }
  return out;
}

}  // namespace drover::play
