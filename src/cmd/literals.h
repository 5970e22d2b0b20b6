// The string literals, comments and names of a C++ source, for tests that check the texts that
// people read. Reads sources as text; does not understand C++.
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

struct Comment {
  size_t line = 0;
  std::string text;  // Comments on successive lines are one. Without text in `backticks`.
};

std::vector<Comment> read_comments(std::string_view source);

struct Identifier {
  size_t line = 0;
  std::string name;
  bool is_declared = false;  // As a type: after struct, class, enum, union, concept or using.
};

// The names in the code, without keywords that declare types.
std::vector<Identifier> read_identifiers(std::string_view source);

}  // namespace drover::literals
