// The directory of the memories, as calls that cannot leave it: each opens a path below a directory
// that is open, follows no link, and fails if the path leads out. Calls block on the disk. Any
// thread. It knows files and directories; it does not know which of them are memories.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/fd.h"
#include "base/result.h"

namespace drover::inbox {

// Opens the directory at `path`; creates it as a private one if it does not exist.
Result<Fd> open_root(const std::string& path);
// Opens `path` below the directory. If it fails, the descriptor is invalid and errno is set.
Fd open_beneath(const Fd& directory, const std::string& path, int flags, unsigned mode = 0);
// Creates the directories of `path` below `root`, and opens the last one.
Result<Fd> make_directories(const Fd& root, const std::string& path);
// Not set: there is no such file.
Result<std::optional<std::string>> read_beneath(const Fd& directory, const std::string& path);
// Creates the file and syncs it. Fails if it exists.
Result<> write_new(const Fd& directory, const std::string& name, std::string_view text);
// The names in the directory, sorted; none if it cannot be read.
std::vector<std::string> names_in(const Fd& directory);

}  // namespace drover::inbox
