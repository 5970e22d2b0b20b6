// A TOML file as a table. Checks the text for bytes that crash toml++'s parser, then calls it;
// src/ORDER allows no other caller.
#pragma once

#include <toml++/toml.h>

#include <expected>
#include <string>
#include <string_view>

#include "base/result.h"

namespace drover::config {

struct TomlMistake {
  size_t line = 1;    // From 1 on.
  size_t column = 1;  // From 1 on.
  std::string why;    // Without the text of the line, which may be a secret.
};
std::expected<toml::table, TomlMistake> parse_toml(const std::string& path, std::string_view text);

// If the text is not TOML: `invalid` with this reason and parameter; the message names path, line
// and mistake.
Result<toml::table> read_toml(const std::string& path, std::string_view text,
                              std::string_view reason, std::string_view param);

}  // namespace drover::config
