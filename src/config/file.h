// The settings file: TOML, read as a list of names and values with their line numbers. Editing
// keeps what a person wrote around a value. Pure: text in, text out.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace drover::config {

struct Line {
  std::string name;  // "retention.age".
  std::string text;
  bool is_number = false;
  size_t number = 0;  // From 1 on.
};

// `bad_config` with path and line if the text is not TOML, or contains a key that is not a setting.
Result<std::vector<Line>> parse(const std::string& path, std::string_view toml);

// The file with `name` set to `value`, or without `name` if `value` is empty; comments and order
// stay.
std::string edit(std::string_view toml, std::string_view name, std::string_view value,
                 bool is_number);

}  // namespace drover::config
