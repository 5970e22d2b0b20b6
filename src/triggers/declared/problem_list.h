// A ProblemList collects what is wrong in one file, while it is read (problem.h). It keeps at most
// kProblemsPerFileMax problems. Messages name keys, never the values of variables.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "config/read_toml.h"
#include "triggers/declared/problem.h"

namespace drover::triggers {

inline constexpr size_t kKeyBytesMax = 64;  // Of a key in a message.

class ProblemList {
 public:
  explicit ProblemList(std::string file) : file_(std::move(file)) {}

  void add(const toml::source_position& at, std::string message);
  size_t size() const { return problems_.size(); }
  // In the order of the lines.
  std::vector<Problem> take();

 private:
  std::string file_;
  std::vector<Problem> problems_;
};

// "; did you mean timeout?", or nothing.
std::string did_you_mean(std::string_view text, std::span<const std::string> known);

// Where a value stands, and where its key does; the beginning of the table if it has no such key.
toml::source_position place_of_value(const toml::table& table, std::string_view key);
toml::source_position place_of_key(const toml::table& table, std::string_view key);

}  // namespace drover::triggers
