#include "play/escape_filter.h"

#include <utility>

namespace drover::play {
namespace {

constexpr char kEscape = '\x1b';
constexpr char kBell = '\x07';
constexpr size_t kSequenceBytesMax = 4'096;  // A link; nothing longer is a sequence.

bool is_parameter(char c) {
  return (c >= '0' && c <= '?') || c == ' ' || c == '!' || c == '$';
}
bool is_final(char c) {
  return (c >= '@' && c <= 'Z') || (c >= 'a' && c <= 'z');
}
// Sequences of three characters, such as ESC ( B, which `tput sgr0` prints.
bool selects_charset(char c) {
  return std::string_view("()*+-./#% ").contains(c);
}
// Not the end of a sequence: hiding a brace or a quote could hide a diagnostic.
bool is_text(char c) {
  return c == kEscape || c == '\n' || c == '\r' || c == '{' || c == '"';
}
char visible(char c) {
  const auto byte = static_cast<unsigned char>(c);
  return byte < 0x20 && c != '\n' && c != '\r' ? ' ' : c;
}

}  // namespace

std::string EscapeFilter::take(std::string_view bytes) {
  std::string out;
  out.reserve(bytes.size());
  for (const char c : bytes) one(c, out);
  return out;
}

std::string EscapeFilter::rest() {
  std::string out;
  give_back(out);
  return out;
}

void EscapeFilter::give_back(std::string& out) {
  mode_ = Mode::text;
  for (const char c : std::exchange(held_, {})) {
    if (c != '\0') out += visible(c);
  }
}

void EscapeFilter::one(char c, std::string& out) {
  switch (mode_) {
    case Mode::text:
      if (c == kEscape) {
        mode_ = Mode::escape;
      } else if (c != '\0') {
        out += visible(c);
      }
      return;
    case Mode::escape:
      if (c == '[' || c == ']') {
        held_ = c;
        mode_ = c == '[' ? Mode::control : Mode::string;
        return;
      }
      if (selects_charset(c)) {
        mode_ = Mode::charset;
        return;
      }
      mode_ = Mode::text;
      // Two characters, such as ESC 7.
      if (is_text(c)) one(c, out);
      return;
    case Mode::charset:
      mode_ = Mode::text;
      if (is_text(c)) one(c, out);
      return;
    case Mode::control:
      if (is_final(c)) {
        held_.clear();
        mode_ = Mode::text;
        return;
      }
      break;
    case Mode::string:
      if (c == kBell) {
        held_.clear();
        mode_ = Mode::text;
        return;
      }
      if (c == kEscape) {
        mode_ = Mode::string_escape;
        return;
      }
      break;
    case Mode::string_escape:
      if (c == '\\') {
        held_.clear();
        mode_ = Mode::text;
        return;
      }
      break;
  }
  const bool continues = (mode_ == Mode::control && is_parameter(c)) ||
                         (mode_ == Mode::string && c != '\n' && c != '\r');
  if (continues && held_.size() < kSequenceBytesMax) {
    held_ += c;
    return;
  }
  give_back(out);
  one(c, out);
}

}  // namespace drover::play
