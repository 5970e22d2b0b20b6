#include "config/read_toml.h"

#include <algorithm>
#include <stdexcept>

#include "base/limits.h"
#include "base/text.h"
#include "config/outside_text.h"

namespace drover::config {
namespace {

// toml++ 3.3 has asserts that a file can fail (`[!]`); cmake/libraries/toml.cc makes them throw,
// without a line number. The mistake is on the first line that makes the parser fail.
size_t line_of_broken_assert(std::string_view text) {
  size_t good = 0;  // This many lines parse.
  size_t bad = 1;   // This many lines do not.
  const auto breaks = [&](size_t lines) {
    size_t end = 0;
    for (; lines > 0 && end < text.size(); --lines)
      end = std::min(text.find('\n', end), text.size() - 1) + 1;
    try {
      (void)toml::parse(text.substr(0, end));
    } catch (const toml::parse_error&) {
    } catch (const std::logic_error&) {
      return true;
    }
    return false;
  };
  while (!breaks(bad)) {
    good = bad;
    bad *= 2;
    if (bad > text.size() * 2) return 1;
  }
  while (bad - good > 1) {
    const size_t middle = good + (bad - good) / 2;
    (breaks(middle) ? bad : good) = middle;
  }
  return bad;
}

// The line of that number, in quotes. Empty if it has no text that can be shown.
std::string quoted_line(std::string_view text, size_t line) {
  for (; line > 1; --line) text.remove_prefix(std::min(text.find('\n'), text.size() - 1) + 1);
  text = text.substr(0, text.find('\n'));
  const auto is_shown = [](char c) { return static_cast<unsigned char>(c) >= ' ' || c == '\t'; };
  if (text.empty() || !is_utf8(text) || !std::ranges::all_of(text, is_shown)) return "";
  return " \"" + bounded(text, 80) + "\"";
}

}  // namespace

std::expected<toml::table, TomlMistake> parse_toml(const std::string& path, std::string_view text) {
  const auto refuse = [](size_t line, size_t column, std::string_view why) {
    return std::unexpected(TomlMistake{.line = line, .column = column, .why = std::string(why)});
  };
  const OutsideText outside = look_outside_text(text);
  if (outside.foreign_line) {
    return refuse(*outside.foreign_line, 1,
                  "a character outside quotes is not ASCII; put it in quotes");
  }
  if (outside.dots > limits::kTomlDotsMax) {
    return refuse(1, 1, "more than " + std::to_string(limits::kTomlDotsMax) + " dots in the keys");
  }
  try {
    return toml::parse(text, path);
  } catch (const toml::parse_error& error) {
    const auto& begin = error.source().begin;
    return refuse(begin.line, std::max<size_t>(1, begin.column), error.description());
  } catch (const std::logic_error&) {
    return refuse(line_of_broken_assert(text), 1, "a [ without a name after it");
  }
}

Result<toml::table> read_toml(const std::string& path, std::string_view text,
                              std::string_view reason, std::string_view param) {
  auto table = parse_toml(path, text);
  if (table) return std::move(*table);
  const TomlMistake& mistake = table.error();
  return fail(ErrorCode::invalid, std::string(reason),
              path + ":" + std::to_string(mistake.line) + ": invalid TOML: " + mistake.why +
                  "; correct the line" + quoted_line(text, mistake.line),
              std::string(param));
}

}  // namespace drover::config
