// Fuzzes drover.toml with any bytes: the result is a project or an error with its line, never a
// crash.
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "play/project.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto project = drover::play::parse_project("drover.toml", text);
  if (!project && !project.error().message.starts_with("drover.toml:")) std::abort();
  if (project && project->id.empty()) std::abort();
  return 0;
}
