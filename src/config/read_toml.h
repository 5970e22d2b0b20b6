// A TOML file as a table. Checks the text for what toml++'s parser does not survive, then calls it;
// src/ORDER allows no other caller.
#pragma once

#include <toml++/toml.h>

#include <string>
#include <string_view>

#include "base/result.h"

namespace drover::config {

// If the text is not TOML: `invalid` with this reason and parameter; the message names path, line
// and mistake.
Result<toml::table> read_toml(const std::string& path, std::string_view text,
                              std::string_view reason, std::string_view param);

}  // namespace drover::config
