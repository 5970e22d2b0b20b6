// The sentences of a Markdown document, for tests that check them. Reads text; knows nothing else.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace drover::literals {

enum class Part : std::uint8_t { sentences, heading, row };  // A row of a table.

struct Prose {
  size_t line = 0;  // Where it begins, counted from 1.
  Part part = Part::sentences;
  std::string text;  // One line, without the text in `backticks`.
};

// The paragraphs, the items of lists, the headings and the rows of tables, without code blocks,
// which quote programs.
std::vector<Prose> read_prose(std::string_view document);

// The lines of paragraphs and lists that have more than `most` characters, as "17: text". Tables,
// code blocks and lines without a blank cannot be wrapped.
std::vector<std::string> long_lines(std::string_view document, size_t most);

}  // namespace drover::literals
