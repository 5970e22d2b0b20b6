#include "cli/env_file.h"

#include "base/fd.h"
#include "cli/views/table.h"

namespace drover::cli {

Result<Variables> parse_env_file(std::string_view text, std::string_view path) {
  auto variables = drover::parse_env_file(text);
  if (variables) return std::move(*variables);
  return fail_invalid("env-file", "--env-file " + clean(path) + ", line " +
                                      std::to_string(variables.error().line) + ": " +
                                      variables.error().why);
}

Result<Variables> read_env_file(const std::string& path) {
  auto text = read_file(path, kEnvFileBytesMax);
  if (!text) {
    return fail_invalid("env-file", "--env-file: " + clean(text.error().message));
  }
  return parse_env_file(*text, path);
}

}  // namespace drover::cli
