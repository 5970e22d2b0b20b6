#include "base/env_file.h"

#include <algorithm>
#include <cctype>

#include "base/limits.h"
#include "base/text.h"

namespace drover {
namespace {

constexpr std::string_view kBlank = " \t";

// The value of a line, or the mistake in it.
struct Value {
  std::string text = {};
  const char* wrong = nullptr;
};

bool is_name(std::string_view text) {
  const auto is_letter = [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
  };
  return !text.empty() && std::isdigit(static_cast<unsigned char>(text.front())) == 0 &&
         std::ranges::all_of(text, is_letter);
}

std::string_view without_leading_blanks(std::string_view text) {
  text.remove_prefix(std::min(text.find_first_not_of(kBlank), text.size()));
  return text;
}

// Between single quotes every character is itself.
Value single_quoted(std::string_view text) {
  const size_t end = text.find('\'', 1);
  if (end == std::string_view::npos) return {.wrong = "the closing ' is missing"};
  if (end + 1 != text.size()) return {.wrong = "text follows the closing '"};
  return {.text = std::string(text.substr(1, end - 1))};
}

Value double_quoted(std::string_view text) {
  Value out;
  size_t i = 1;
  for (; i < text.size() && text[i] != '"'; ++i) {
    if (text[i] == '$') return {.wrong = R"(variables are not replaced; write \$, or use '…')"};
    if (text[i] != '\\') {
      out.text += text[i];
      continue;
    }
    constexpr std::string_view kEscapes = "nrt\"\\$", kMeanings = "\n\r\t\"\\$";
    const size_t which = ++i < text.size() ? kEscapes.find(text[i]) : std::string_view::npos;
    if (which == std::string_view::npos) return {.wrong = R"(only \n \r \t \" \\ \$ are known)"};
    out.text += kMeanings[which];
  }
  if (i >= text.size()) return {.wrong = "the closing \" is missing"};
  if (i + 1 != text.size()) return {.wrong = "text follows the closing \""};
  return out;
}

Value unquoted(std::string_view text) {
  if (text.empty()) return {};
  if (kBlank.contains(text.front()) || kBlank.contains(text.back())) {
    return {.wrong = "blanks around the value; quote it if they belong to it"};
  }
  if (text.find(" #") != std::string_view::npos || text.find("\t#") != std::string_view::npos) {
    return {.wrong = "quote a value with a #, and put a comment on a line of its own"};
  }
  return {.text = std::string(text)};
}

Value value_of(std::string_view text) {
  if (text.starts_with('\'')) return single_quoted(text);
  if (text.starts_with('"')) return double_quoted(text);
  return unquoted(text);
}

}  // namespace

std::expected<EnvVariables, EnvFileMistake> parse_env_file(std::string_view text) {
  EnvVariables out;
  size_t number = 0;
  const auto wrong = [&](std::string why) {
    return std::unexpected(EnvFileMistake{.line = number, .why = std::move(why)});
  };
  if (text.starts_with("\xef\xbb\xbf")) text.remove_prefix(3);  // Some editors put it there.
  while (!text.empty()) {
    ++number;
    const size_t end = std::min(text.find('\n'), text.size());
    std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (line.ends_with('\r')) line.remove_suffix(1);
    if (!is_utf8(line) || line.find('\0') != std::string_view::npos) {
      return wrong("it must be UTF-8 without NUL bytes");
    }
    line = without_leading_blanks(line);
    if (line.empty() || line.starts_with('#')) continue;
    if (line.starts_with("export ")) line = without_leading_blanks(line.substr(7));
    const size_t equals = line.find('=');
    if (equals == std::string_view::npos) return wrong("write NAME=VALUE");
    const std::string_view name = line.substr(0, equals);
    if (!is_name(name)) {
      return wrong("a name has letters, digits and _, no digit first, and = follows at once");
    }
    Value value = value_of(line.substr(equals + 1));
    if (value.wrong != nullptr) return wrong(value.wrong);
    if (std::ranges::find(out, name, &EnvVariables::value_type::first) != out.end()) {
      return wrong("a variable of this name is already in the file");
    }
    if (out.size() == limits::kEnvironmentMax) return wrong("too many variables");
    out.emplace_back(name, std::move(value.text));
  }
  return out;
}

}  // namespace drover
