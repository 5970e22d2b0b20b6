// The history of a memory is a directory with the texts that were replaced, one file each: the time
// of the replacement in milliseconds, a random part, and ".md". The newest name is the greatest.
// Calls block on the disk. Any thread.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/fd.h"

namespace drover::inbox {

struct MemoryVersion {
  std::string version;  // Its name in the history; the newest is the greatest.
  WallMs replaced_at = 0;
  std::int64_t bytes = 0;
};

// Whether this is the name of a file of the history; people may put other files there.
bool is_version_file(std::string_view name);

// Newest first.
std::vector<MemoryVersion> versions_in(const Fd& history);

// Removes the oldest versions beyond kMemoryVersionsKept.
void trim_history(const Fd& history);

}  // namespace drover::inbox
