#include "run/plain_values.h"

#include <algorithm>
#include <array>
#include <string>

#include "run/characters.h"

namespace drover::run {
namespace {

constexpr auto kCommonWords =
    std::to_array<std::string_view>({"true",           "false",      "none",    "null",
                                     "auto",           "always",     "never",   "default",
                                     "enabled",        "disabled",   "debug",   "info",
                                     "warn",           "warning",    "error",   "trace",
                                     "verbose",        "quiet",      "test",    "tests",
                                     "testing",        "production", "prod",    "development",
                                     "staging",        "stage",      "local",   "localhost",
                                     "127.0.0.1",      "0.0.0.0",    "release", "main",
                                     "master",         "latest",     "stable",  "build",
                                     "linux",          "amd64",      "arm64",   "x86_64",
                                     "bash",           "dumb",       "xterm",   "xterm-256color",
                                     "screen",         "truecolor",  "posix",   "utf-8",
                                     "utf8",           "json",       "text",    "plain",
                                     "user",           "root",       "admin",   "home",
                                     "noninteractive", "path",       "name",    "value",
                                     "data",           "file",       "yes",     "node"});

constexpr size_t kShortWord = 8;
constexpr size_t kNumberDigits = 5;  // A port, a size, a version; a PIN often has more.
constexpr size_t kPieceBytes = 16;

bool all(std::string_view text, auto is) {
  return std::ranges::all_of(text, is);
}

// Letters in one case, or with a capital at the beginning: written by a person.
bool is_human_word(std::string_view text) {
  if (text.empty() || !all(text, is_letter)) return false;
  const std::string_view rest = text.substr(1);
  return all(rest, [](char c) { return !is_upper(c); }) || all(text, is_upper);
}

bool is_short_number(std::string_view text) {
  const auto digits = std::ranges::count_if(text, is_digit);
  if (!is_digit(text.front()) || static_cast<size_t>(digits) > kNumberDigits) return false;
  const size_t end = std::min(text.find_last_of("0123456789") + 1, text.size());
  const std::string_view unit = text.substr(end);
  return unit.size() <= 3 && all(unit, is_letter) &&
         all(text.substr(0, end), [](char c) { return is_digit(c) || c == '.' || c == ':'; });
}

bool is_locale(std::string_view text) {
  const size_t dot = text.find('.');
  const std::string_view code = text.substr(dot == text.npos ? text.size() : dot + 1);
  const std::string_view place = text.substr(0, dot);
  if (!code.empty() && !same(code, "utf-8") && !same(code, "utf8")) return false;
  return place == "C" || (place.size() == 5 && place[2] == '_' &&
                          is_human_word(place.substr(0, 2)) && all(place.substr(3), is_upper));
}

// A piece of a path between separators. Longer ones are plain only if they are words.
bool is_plain_piece(std::string_view piece) {
  return piece.size() < kShortWord || (piece.size() <= kPieceBytes && is_human_word(piece));
}

// /usr/bin:/bin, ./out, ~/src, https://host:8080/path
bool is_plain_place(std::string_view text) {
  const bool is_place = text.starts_with('/') || text.starts_with("./") ||
                        text.starts_with("../") || text.starts_with("~/") ||
                        text.find("://") != text.npos;
  if (!is_place) return false;
  while (!text.empty()) {
    const size_t end = std::min(text.find_first_of("/:.-_+~"), text.size());
    const std::string_view piece = text.substr(0, end);
    if (!all(piece, [](char c) { return is_letter(c) || is_digit(c); })) return false;
    if (!is_plain_piece(piece)) return false;
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return true;
}

}  // namespace

bool is_common_word(std::string_view value) {
  return std::ranges::any_of(kCommonWords,
                             [&](std::string_view word) { return same(value, word); });
}

bool is_plain_value(std::string_view value) {
  return value.size() < kSecretBytesMin || is_common_word(value) || is_short_number(value) ||
         is_locale(value) || is_plain_place(value);
}

bool is_short_word(std::string_view value) {
  return value.size() < kShortWord && (is_human_word(value) || all(value, is_digit));
}

}  // namespace drover::run
