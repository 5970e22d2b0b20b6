// The root of a project is the directory of its drover.toml. From any directory below it, the
// project is found as with git.
#pragma once

#include <string>

#include "base/result.h"

namespace drover::cli {

// The nearest root at or above `directory` (empty: the current directory), as an absolute path
// without symbolic links, so that every way there gives the same path. `no_project` if there is
// none.
Result<std::string> project_root(const std::string& directory);

}  // namespace drover::cli
