#include "play/blocking_text.h"

#include <algorithm>

namespace drover::play {
namespace {

constexpr std::string_view kKey = "locking";  // After a `b` of either case.
constexpr std::string_view kTrue = "true";

std::string_view after_blanks(std::string_view text) {
  const size_t begin = text.find_first_not_of(" \t\r\n");
  return begin == std::string_view::npos ? std::string_view() : text.substr(begin);
}

bool is_word(char c) {
  return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || c == '_' ||
         c == '-' || c == '$' || c == '.';
}

// Whether `: true` or `=> true` follows. If the text may be cut off (`cut`), a missing value, or
// the beginning of `true`, counts as true.
bool is_set(std::string_view text, bool cut) {
  const std::string_view sign = after_blanks(text);
  const size_t length = sign.starts_with("=>") ? 2 : sign.starts_with(':') ? 1 : 0;
  if (length == 0) return false;
  const std::string_view value = after_blanks(sign.substr(length));
  if (value.empty()) return cut;
  if (cut) return value.starts_with('t') || value.starts_with('T');
  const std::string_view word = value.substr(0, kTrue.size());
  const bool is_true = std::ranges::equal(word, kTrue.substr(0, word.size()),
                                          [](char a, char b) { return (a | 0x20) == b; });
  return is_true && (value.size() <= kTrue.size() || !is_word(value[kTrue.size()]));
}

bool is_quoted(std::string_view before, std::string_view after) {
  if (before.empty() || (before.back() != '"' && before.back() != '\'')) return false;
  const size_t quote = std::min(after.find_first_not_of('\\'), after.size());
  if (quote == after.size() || after[quote] != before.back()) return false;
  return is_set(after.substr(quote + 1), true);
}

bool is_bare(std::string_view before, std::string_view after) {
  return (before.empty() || !(is_word(before.back()) || before.back() == '"')) &&
         is_set(after, false);
}

template <class Test>
bool any_key(std::string_view text, Test test) {
  for (size_t at = text.find(kKey); at != std::string_view::npos; at = text.find(kKey, at + 1)) {
    if (at == 0 || (text[at - 1] != 'b' && text[at - 1] != 'B')) continue;
    if (test(text.substr(0, at - 1), text.substr(at + kKey.size()))) return true;
  }
  return false;
}

bool is_in_braces(std::string_view text) {
  if (text.starts_with('{')) return true;
  return text.contains('{') && (text.contains("everity") || text.contains("essage"));
}

}  // namespace

bool has_bare_blocking_text(std::string_view text) {
  return any_key(text, is_bare);
}

bool has_blocking_text(std::string_view text) {
  return any_key(text, is_quoted) || (is_in_braces(text) && has_bare_blocking_text(text));
}

bool looks_like_diagnostic(std::string_view text) {
  return has_blocking_text(text) || (text.starts_with('{') && text.contains("\"severity\""));
}

}  // namespace drover::play
