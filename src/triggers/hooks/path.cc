#include "triggers/hooks/path.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "base/text.h"
#include "triggers/hooks/limits.h"

namespace drover::triggers {
namespace {

bool is_allowed(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' ||
         c == '_' || c == '.' || c == '/';
}

// The mistake in the path; empty: there is none.
std::string problem_of(std::string_view path) {
  if (path.empty()) return "it is empty";
  if (path.size() > kHookPathBytesMax) {
    return fmt::format("it has more than {} bytes", kHookPathBytesMax);
  }
  if (!std::ranges::all_of(path, is_allowed)) {
    return "use letters, digits, - _ . and / only";
  }
  if (path.starts_with('/') || path.ends_with('/')) return "remove the slash at its start or end";
  if (static_cast<size_t>(std::ranges::count(path, '/')) >= kHookSegmentsMax) {
    return fmt::format("it has more than {} segments", kHookSegmentsMax);
  }
  if (path.contains("//")) return "remove the double slash";
  if (path.contains("..")) return "two dots in a row are not allowed";
  if (path == "." || path.starts_with("./") || path.ends_with("/.") || path.contains("/./")) {
    return "a segment cannot be a single dot";
  }
  return {};
}

}  // namespace

Result<> check_hook_path(std::string_view path, std::string_view param) {
  const std::string problem = problem_of(path);
  if (problem.empty()) return {};
  return fail(ErrorCode::invalid, "invalid_hook_path",
              fmt::format("invalid webhook path \"{}\": {}; an example is team/deploy",
                          bounded(path, 80), problem),
              std::string(param));
}

}  // namespace drover::triggers
