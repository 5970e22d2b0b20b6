// Setup is what this machine knows of a project and its repository does not: where its runtime is.
// It stands in .drover/setup.json, key `runtimePath`; if there is no such file, in a Prometeu
// project's .studio/setup.json, key `prometeuRuntimePath` (P3).
#pragma once

#include <string>

#include "base/result.h"

namespace drover::play {

// The preflight (P5): the absolute path of an executable file, to be asked for right before the
// spawn. A path that is not absolute begins at `root`, which must be. The error's reason is one of
//   runtime_path_missing         no setup file, or no such key in it
//   runtime_path_blank           nothing but white space
//   runtime_path_invalid         no string, no path, a directory; a setup file that cannot be read
//   runtime_path_not_found       nothing is there
//   runtime_path_not_executable  it may not be started
// and its message says what to write where. Of links and permissions it knows what the kernel says
// at this moment; the spawn has the last word.
Result<std::string> find_runtime(const std::string& root);

}  // namespace drover::play
