// Lays out the texts of help pages for a width in columns. Pure.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace drover::cli {

struct Row {
  std::string left;
  std::string right;
};

// The column where the right side of a list begins, if the list does not need a wider left side.
inline constexpr size_t kListColumn = 14;

// The column of the texts of options: narrow terminals get a narrow left side.
size_t option_column(size_t width);

// Wraps every line of `text` to `width` columns; a blank line starts a paragraph.
std::string fill(std::string_view text, size_t width);

// `left`, then `right` wrapped in a column of its own, which starts at `column`. If `left` is too
// long, `right` starts on the next line.
std::string beside(std::string_view left, size_t column, std::string_view right, size_t width);

// Indented rows. Their right sides begin at `least` or, if the left sides need it, later.
std::string list(std::span<const Row> rows, size_t width, size_t least = kListColumn);

// An indented shell command. If it is too long, it continues on the next line after a backslash, so
// that a shell accepts the copied lines.
std::string command_lines(std::string_view command, size_t width);

}  // namespace drover::cli
