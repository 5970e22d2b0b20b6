#include "cli/commands/play/project_root.h"

#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <memory>

namespace drover::cli {

Result<std::string> project_root(const std::string& directory) {
  const std::string from = directory.empty() ? "." : directory;
  const std::unique_ptr<char, decltype([](char* text) { std::free(text); })> real(
      ::realpath(from.c_str(), nullptr));
  if (real == nullptr && (errno == ENOENT || errno == ENOTDIR)) {
    return fail(ErrorCode::not_found, "no_project", "no such directory: " + from, "project");
  }
  if (real == nullptr) return fail_errno("cannot resolve " + from, errno);
  for (std::string root = real.get();; root.erase(root.rfind('/'))) {
    if (::access((root + "/drover.toml").c_str(), F_OK) == 0) return root.empty() ? "/" : root;
    if (root.size() <= 1) break;
  }
  return fail(ErrorCode::not_found, "no_project",
              "no drover.toml in " + std::string(real.get()) +
                  " or its parent directories; `drover init` writes one",
              "project");
}

}  // namespace drover::cli
