#include "cli/help/layout.h"

#include <algorithm>

#include "cli/views/columns.h"

namespace drover::cli {
namespace {

constexpr size_t kIndent = 2;
constexpr size_t kGap = 2;
constexpr size_t kOptionColumnMax = 28;

// The words of a shell command, with their quotes: a quoted blank is part of the word.
std::vector<std::string> shell_words(std::string_view command) {
  std::vector<std::string> out(1);
  char quote = 0;
  for (const char c : command) {
    if (c == quote) {
      quote = 0;
    } else if (quote == 0 && (c == '\'' || c == '"')) {
      quote = c;
    }
    if (c == ' ' && quote == 0) {
      out.emplace_back();
    } else {
      out.back() += c;
    }
  }
  return out;
}

// Wraps `text`, but keeps `drover help run` together: a quoted command is easier to read and to
// copy from one line. Only the long ones, which would leave a hole at the end of a line, are
// broken.
std::vector<std::string> wrap_text(std::string_view text, size_t width) {
  constexpr std::string_view kUnbroken = "\u00A0";
  std::string joined;
  size_t next = 0;  // The end of the quoted text, or the place where the next may begin.
  bool keep = false;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '`' && i >= next) {
      const size_t end = std::min(text.find('`', i + 1), text.size());
      keep = columns(text.substr(i, end - i)) <= width / 2;
      next = end + 1;
    }
    if (text[i] == ' ' && keep && i < next) {
      joined += kUnbroken;
    } else {
      joined += text[i];
    }
  }
  std::vector<std::string> out = wrap(joined, width);
  for (std::string& line : out) {
    for (size_t at = 0; (at = line.find(kUnbroken, at)) != std::string::npos; ++at) {
      line.replace(at, kUnbroken.size(), " ");
    }
  }
  return out;
}

}  // namespace

size_t option_column(size_t width) {
  return std::min(kOptionColumnMax, width * 2 / 5);
}

std::string fill(std::string_view text, size_t width) {
  std::string out;
  while (!text.empty()) {
    const std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(text.size(), line.size() + 1));
    for (const std::string& part : wrap_text(line, width)) out.append(part).append("\n");
  }
  return out;
}

std::string beside(std::string_view left, size_t column, std::string_view right, size_t width) {
  std::string out(left);
  bool first = columns(left) + kGap <= column;
  if (!first) out += '\n';
  for (const std::string& line : wrap_text(right, width - column)) {
    out.append(first ? column - columns(left) : column, ' ').append(line).append("\n");
    first = false;
  }
  return out;
}

std::string list(std::span<const Row> rows, size_t width, size_t least) {
  size_t column = least;
  for (const Row& row : rows) column = std::max(column, kIndent + columns(row.left) + kGap);
  if (column > width / 2) column = std::max(least, option_column(width));
  std::string out;
  for (const Row& row : rows) {
    out += beside(std::string(kIndent, ' ') + row.left, column, row.right, width);
  }
  return out;
}

std::string command_lines(std::string_view command, size_t width) {
  const std::vector<std::string> words = shell_words(command);
  std::string out;
  std::string line(kIndent, ' ');
  line += words.front();
  for (size_t i = 1; i < words.size(); ++i) {
    const size_t backslash = i + 1 < words.size() ? 2 : 0;  // Room for the next one.
    if (columns(line) + 1 + columns(words[i]) + backslash > width) {
      out += line + " \\\n";
      line = std::string(2 * kIndent, ' ') + words[i];
    } else {
      line += " " + words[i];
    }
  }
  return out + line + "\n";
}

}  // namespace drover::cli
