// The root of a project is the directory that its drover.toml is in. Whoever stands somewhere below
// means that one, as with git.
#pragma once

#include <string>

#include "base/result.h"

namespace drover::cli {

// The nearest at or above `directory` (empty: where we are), as an absolute path with no links in
// it, so that it is the same from wherever one comes. `no_project` if there is none.
Result<std::string> project_root(const std::string& directory);

}  // namespace drover::cli
