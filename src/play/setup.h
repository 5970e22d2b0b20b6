// A project's setup is its configuration on this machine: where its runtime is. The file is
// .drover/setup.json, key `runtimePath`; if that file does not exist or lacks the key, a Prometeu
// project's .studio/setup.json, key `prometeuRuntimePath` (P3).
#pragma once

#include <string>

#include "base/result.h"

namespace drover::play {

// The preflight (P5): returns the absolute path of the runtime's executable. Call it right before
// the spawn. A relative path starts at `root`, which must be absolute. The error's reason is one of
//   runtime_path_missing         no setup file has its key
//   runtime_path_blank           only white space
//   runtime_path_invalid         not a string, not a path, a directory; an unreadable setup file
//   runtime_path_not_found       the file does not exist
//   runtime_path_not_executable  the file may not be executed
// and its message says what to write where. Links and permissions may change before the spawn,
// which can therefore still fail.
Result<std::string> find_runtime(const std::string& root);

}  // namespace drover::play
