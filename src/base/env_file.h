// An env file has variables for a run: a NAME=VALUE in each line, as Docker and the many dotenv
// libraries read them. These disagree about some forms; such a form is refused here, so that a
// value is never another than the user meant. docs/tasks/environment.md describes the format. Pure.
#pragma once

#include <cstddef>
#include <expected>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace drover {

inline constexpr size_t kEnvFileBytesMax = 1024 * 1024;  // More than a command may get (ARG_MAX).

using EnvVariables = std::vector<std::pair<std::string, std::string>>;

// Never contains the text of the line: it may be a secret.
struct EnvFileMistake {
  size_t line = 0;  // From 1 on.
  std::string why;
};

std::expected<EnvVariables, EnvFileMistake> parse_env_file(std::string_view text);

}  // namespace drover
