// Where a value that follows a name begins and ends: in prose, in JSON, in a script with its
// quotes.
#include <algorithm>
#include <array>

#include "run/characters.h"
#include "run/redact_scan.h"
#include "run/secret_names.h"
#include "run/secrets.h"

namespace drover::run {
namespace {

bool ends_value(char c) {
  return c == '\0' || is_space(c) || c == ';' || c == '&';
}
bool is_bracket(char c) {
  return c == ',' || c == ')' || c == ']' || c == '}';
}
bool may_follow_quote(char c) {
  return ends_value(c) || is_bracket(c) || is_quote(c) || c == ':' || c == '|' || c == '>' ||
         c == '\\';
}

}  // namespace

size_t Scan::backslashes_before(size_t at) const {
  size_t count = 0;
  while (count < at && text_[at - count - 1] == '\\') ++count;
  return count;
}

size_t Scan::after_blanks(size_t at) const {
  while (is_blank(peek(at))) ++at;
  return at;
}

bool Scan::starts_word(size_t at) const {
  if (at == 0) return true;
  const char before = text_[at - 1];
  return is_space(before) || is_quote(before) || before == '(' || before == ';' || before == '|' ||
         before == '&' || before == '=';
}

// name=value, name: value, name = value, name<TAB>value, "name": "value", also with backslashes
// before the quotes. False: no value follows.
bool Scan::assigned(size_t name) {
  size_t next = at_;
  while (peek(next) == '\\') ++next;
  if (is_quote(peek(next))) ++next;
  const size_t sign = after_blanks(next);
  if (peek(sign) == '=' || peek(sign) == ':') {
    // --password= has no value; the next word is another one.
    if (sign == at_ && text_[name] == '-' && is_space(peek(sign + 1))) return true;
    next = sign + 1;
    while (peek(next) == '=' || peek(next) == '>') ++next;  // :=, ==, =>
    value(name, next);
    return true;
  }
  if (peek(next) != '\t' || sign == text_.size()) return false;
  value(name, sign);
  return true;
}

// Hides the whole value of a header: it may use any scheme.
void Scan::header(size_t name) {
  size_t begin = at_;
  while (peek(begin) == '\\') ++begin;
  if (is_quote(peek(begin))) ++begin;
  begin = after_blanks(begin);
  if (peek(begin) != ':' && peek(begin) != '=') {
    // An option of that name: --cookie VALUE
    const bool is_option = peek(name) == '-' && peek(name + 1) == '-';
    if (is_option && is_whole(name) && at_ == text_.size()) clues_.next = Clues::Next::value;
    if (is_option && begin > at_ && peek(begin) != '-') value(name, begin);
    return;
  }
  begin = after_blanks(begin + 1);
  if (is_whole(name)) return hide(begin, text_.size());
  size_t quote = begin;
  while (peek(quote) == '\\') ++quote;
  if (is_quote(peek(quote))) return quoted(quote);
  size_t end = begin;
  if (name > 0 && is_quote(text_[name - 1])) {
    end = quoted_end(begin, text_[name - 1], backslashes_before(name - 1));
  } else {
    while (end < text_.size() && text_[end] != '\n' && text_[end] != '\r' && !is_quote(text_[end]))
      ++end;
  }
  hide(begin, end);
}

// Hides the value that begins at `begin` or after spaces. `name` is where its name begins.
void Scan::value(size_t name, size_t begin) {
  while (is_space(peek(begin))) ++begin;
  if (is_whole(name)) {
    if (!is_harmless(text_.substr(begin))) hide(begin, text_.size());
    return;
  }
  size_t quote = begin;
  while (peek(quote) == '\\') ++quote;
  if (is_quote(peek(quote))) {
    // grep "token:" file: the quote ends the name, and there is no value.
    const bool ends_name = name > 0 && text_[name - 1] == text_[quote] && peek(quote - 1) != ' ' &&
                           ends_value(peek(quote + 1));
    if (!ends_name) quoted(quote);
    return;
  }
  size_t end = unquoted_end(begin);
  if (peek(begin) == '[' && !text_.substr(begin).starts_with(kRedacted)) {
    end = std::min(text_.find(']', begin), text_.size() - 1) + 1;  // All of a list: ["a", "b"]
  }
  if (!is_harmless(text_.substr(begin, end - begin))) hide(begin, end);
}

// Hides a quoted value, and what a shell would add to it: 'it'\''s'
void Scan::quoted(size_t quote) {
  const size_t backslashes = backslashes_before(quote);
  const size_t end = quoted_end(quote + 1, text_[quote], backslashes);
  hide(quote + 1, end);
  size_t next = end;
  while (peek(next) == '\\' && next < end + backslashes) ++next;
  const bool is_escaped = peek(next + 1) == '\\' && is_quote(peek(next + 2));
  if (backslashes == 0 && (is_escaped || !may_follow_quote(peek(next + 1)))) {
    hide(next + 1, unquoted_end(next + 1));
  }
  at_ = std::max(at_, std::min(next + 1, text_.size()));
}

// Where the text that is quoted by `quote` ends. A quote with more backslashes before it than the
// first one is part of the text.
size_t Scan::quoted_end(size_t begin, char quote, size_t backslashes) const {
  size_t slashes = 0;
  for (size_t at = begin; at < text_.size(); ++at) {
    if (text_[at] == '\\') {
      ++slashes;
      continue;
    }
    const bool is_last = slashes <= backslashes || (backslashes == 0 && slashes % 2 == 0) ||
                         (backslashes == 0 && quote == '\'');
    if (text_[at] == quote && is_last) return at - std::min(slashes, backslashes);
    slashes = 0;
  }
  return text_.size();
}

size_t Scan::unquoted_end(size_t begin) const {
  size_t at = begin;
  while (!ends_value(peek(at))) {
    const char c = text_[at];
    if (c == '[' && text_.substr(at).starts_with(kRedacted)) {
      at += kRedacted.size();  // Hidden before.
    } else if (c == '\\') {
      const char next = peek(at + 2);
      if (is_quote(peek(at + 1)) && !is_quote(next) && may_follow_quote(next)) return at;
      at = std::min(at + 2, text_.size());
    } else if (is_quote(c)) {
      if (may_follow_quote(peek(at + 1))) return at;
      at = std::min(quoted_end(at + 1, c, 0) + 1, text_.size());
    } else if (is_bracket(c)) {
      size_t after = at;
      while (is_bracket(peek(after))) ++after;
      if (ends_value(peek(after)) || is_quote(peek(after))) return at;
      at = after;
    } else {
      ++at;
    }
  }
  return at;
}

}  // namespace drover::run
