// Classes of single characters, for parsing shell words and texts. ASCII; no locale.
#pragma once

#include <algorithm>
#include <string_view>

namespace drover::run {

constexpr char lower(char c) {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c + ('a' - 'A')) : c;
}
constexpr bool is_digit(char c) {
  return c >= '0' && c <= '9';
}
constexpr bool is_upper(char c) {
  return c >= 'A' && c <= 'Z';
}
constexpr bool is_letter(char c) {
  return lower(c) >= 'a' && lower(c) <= 'z';
}
constexpr bool is_word(char c) {
  return is_digit(c) || is_letter(c) || c == '_' || c == '-';
}
constexpr bool is_quote(char c) {
  return c == '"' || c == '\'' || c == '`';
}
constexpr bool is_blank(char c) {
  return c == ' ' || c == '\t';
}
constexpr bool is_space(char c) {
  return is_blank(c) || c == '\n' || c == '\r';
}

constexpr bool same(std::string_view text, std::string_view lower_case) {
  return std::ranges::equal(text, lower_case, [](char a, char b) { return lower(a) == b; });
}

}  // namespace drover::run
