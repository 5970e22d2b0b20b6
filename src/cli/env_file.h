// The files of --env-file (base/env_file.h).
#pragma once

#include <string>
#include <string_view>

#include "base/env_file.h"
#include "base/result.h"

namespace drover::cli {

using Variables = EnvVariables;

// An error names the line, and never its content: it may be a secret.
Result<Variables> parse_env_file(std::string_view text, std::string_view path);
Result<Variables> read_env_file(const std::string& path);

}  // namespace drover::cli
