#include "base/plain_text.h"

#include <algorithm>
#include <cstdlib>

namespace drover {
namespace {

constexpr char kEscape = '\x1b';
constexpr char kBell = '\x07';
constexpr size_t kLineMax = 64 * 1024;    // Characters. A longer line is split.
constexpr size_t kSequenceMax = 64;       // A longer one is not a sequence.
constexpr size_t kStringMax = 16 * 1024;  // Titles and links; longer ones are dropped.

bool is_plain(char c) {
  return static_cast<unsigned char>(c) >= ' ' && c != '\x7f';
}

}  // namespace

std::string PlainText::pass(std::string_view bytes) {
  std::string out;
  out.reserve(bytes.size());
  while (!bytes.empty()) {
    // Most lines contain no control characters.
    if (at_ == At::text && cells_.empty()) {
      const auto* const odd =
          std::ranges::find_if_not(bytes, [](char c) { return is_plain(c) || c == '\t'; });
      const auto size = static_cast<size_t>(odd - bytes.begin());
      if (odd != bytes.end() && *odd == '\n') {
        out += bytes.substr(0, size + 1);
        bytes.remove_prefix(size + 1);
        continue;
      }
    }
    take(bytes.front(), out);
    bytes.remove_prefix(1);
  }
  return out;
}

std::string PlainText::finish() {
  std::string out;
  end_line(out);
  if (!out.empty()) out.pop_back();
  return out;
}

void PlainText::take(char c, std::string& out) {
  switch (at_) {
    case At::text:
      return take_text(c, out);
    case At::escape:
      return take_escape(c, out);
    case At::charset:
      at_ = At::text;
      return;
    case At::sequence:
      if (c >= '@' && c <= '~') {
        at_ = At::text;
        obey(c, out);
      } else if (c < ' ' || sequence_.size() == kSequenceMax) {
        at_ = At::text;  // Not a sequence; the byte that broke it counts as text.
        take_text(c, out);
      } else {
        sequence_ += c;
      }
      return;
    case At::string:
      if (c == kBell || ++string_bytes_ > kStringMax) at_ = At::text;
      if (c == kEscape) at_ = At::string_escape;
      return;
    case At::string_escape:
      at_ = At::text;
      if (c != '\\') take_escape(c, out);
      return;
  }
}

void PlainText::take_text(char c, std::string& out) {
  if (c == '\n') {
    if (cells_.empty()) out += '\n';
    end_line(out);
  } else if (c == '\r') {
    cursor_ = 0;
  } else if (c == '\b') {
    cursor_ -= cursor_ > 0 ? 1 : 0;
  } else if (c == kEscape) {
    at_ = At::escape;
  } else if (is_plain(c) || c == '\t') {
    put(c);
    if (cells_.size() >= kLineMax) {
      for (const std::string& cell : cells_) out += cell;
      cells_.clear();
      cursor_ = 0;
    }
  }
}

void PlainText::take_escape(char c, std::string& out) {
  at_ = At::text;
  if (c == '[') {
    at_ = At::sequence;
    sequence_.clear();
  } else if (c == ']' || c == 'P' || c == '^' || c == '_' || c == 'X') {
    at_ = At::string;
    string_bytes_ = 0;
  } else if (c == '(' || c == ')' || c == '*' || c == '+' || c == '#' || c == '%' || c == ' ') {
    at_ = At::charset;
  } else if (c == kEscape) {
    at_ = At::escape;
  } else if (c < ' ') {
    take_text(c, out);
  }
}

void PlainText::obey(char last, std::string& out) {
  const auto count = static_cast<size_t>(std::clamp(std::atoi(sequence_.c_str()), 1, 10'000));
  const auto here = [&] { return cells_.begin() + static_cast<std::ptrdiff_t>(cursor_); };
  switch (last) {
    case 'K':
      if (sequence_.empty() || sequence_ == "0") {
        cells_.resize(std::min(cells_.size(), cursor_));
      } else {
        const bool all = sequence_ == "2";
        std::fill(cells_.begin(), all ? cells_.end() : here(), " ");
      }
      return;
    case 'C':
      cursor_ = std::min(cursor_ + count, kLineMax);
      break;
    case 'D':
      cursor_ -= std::min(cursor_, count);
      break;
    case 'G':
      cursor_ = count - 1;
      break;
    case 'P':
      if (cursor_ < cells_.size()) {
        cells_.erase(
            here(), here() + static_cast<std::ptrdiff_t>(std::min(count, cells_.size() - cursor_)));
      }
      return;
    case '@':
      if (cursor_ < cells_.size()) cells_.insert(here(), count, " ");
      return;
    case 'A':
    case 'B':
    case 'E':
    case 'F':
    case 'H':
    case 'd':
    case 'f':
      return end_line(out);
    default:
      return;
  }
  if (cells_.size() < cursor_) cells_.resize(cursor_, " ");
}

void PlainText::put(char c) {
  // A continuation byte belongs to the character before it.
  if ((c & 0xc0) == 0x80 && cursor_ > 0 && !cells_[cursor_ - 1].empty() &&
      (cells_[cursor_ - 1].front() & 0x80) != 0) {
    cells_[cursor_ - 1] += c;
    return;
  }
  if (cursor_ == cells_.size()) cells_.emplace_back();
  cells_[cursor_++].assign(1, c);
}

// An empty line adds nothing.
void PlainText::end_line(std::string& out) {
  if (cells_.empty()) return;
  std::string line;
  for (const std::string& cell : cells_) line += cell;
  cells_.clear();
  cursor_ = 0;
  out.append(line) += '\n';
}

}  // namespace drover
