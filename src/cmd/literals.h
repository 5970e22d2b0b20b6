// The string literals of a C++ source, for tests that check the texts people read. Reads sources as
// text; knows nothing else.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace drover::literals {

struct Literal {
  size_t line = 0;   // Where it begins, counted from 1.
  std::string text;  // Adjacent literals are one. \n is a blank; other escapes lose their \.
};

// Without comments, the names of included files, characters and SQL.
std::vector<Literal> read_literals(std::string_view source);

}  // namespace drover::literals
