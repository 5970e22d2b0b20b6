// Declarations are the [[trigger]] tables of a file: triggers.d/*.toml, or the drover.toml of a
// project. Reading is strict and finds every problem at once: an unknown key, a value of the wrong
// type, a value that the trigger could not have. docs/triggers.md describes the keys.
//
// Pure: text in, declarations out. declared_file.h reads the files, and the env files they name.
#pragma once

#include <boost/json/object.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "triggers/declared/problem.h"
#include "triggers/definition/environment_file.h"

namespace drover::triggers {

struct DeclaringFile {
  std::string path;
  // The root of the project whose drover.toml it is: its paths may be relative to it. Empty: a file
  // of triggers.d, in which every path is absolute.
  std::string root = {};
  bool operator==(const DeclaringFile&) const = default;
};

struct Declaration {
  std::string name;
  boost::json::object fields;  // As `fields_of` returns them: complete, and without the variables.
  Variables variables = {};
  std::string env_file = {};  // Absolute; its variables are not in `variables` yet.
  size_t line = 0;            // Of its table.
  size_t column = 0;
  size_t env_file_line = 0;
  size_t env_file_column = 0;
};

struct Declarations {
  std::vector<Declaration> triggers = {};
  std::vector<Problem> problems = {};  // If there are any, the triggers are incomplete.
};

Declarations read_declarations(const DeclaringFile& file, std::string_view toml);

}  // namespace drover::triggers
