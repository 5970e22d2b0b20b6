// The build tree is the content of build/ as the manifest lists it: every file with its size and
// SHA-256, and every link with its target, sorted bytewise by path. It contains nothing that
// differs between machines: no times, modes, owners or absolute paths. Empty directories are not
// listed.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace drover::play {

inline constexpr std::string_view kManifestName = "manifest.json";
inline constexpr std::string_view kManifestAside = ".manifest.json.";  // A crash may have left one.

struct BuildEntry {
  std::string path;  // Below build/: bytes, as the file system has them.
  std::uint64_t size = 0;
  std::string sha256;  // In hex; empty: the entry is a link.
  std::string link;    // The target of the link.
};

// Everything in the directory `build` (an open descriptor) except its manifest and temporary files
// of an earlier manifest. `bad_build` if it contains something that cannot be shipped: a link to
// the outside, to a missing file or to the manifest, a pipe, a socket, a device, or a file that
// changes while it is read. `build_too_large` beyond the limits.
Result<std::vector<BuildEntry>> read_build_tree(int build);

}  // namespace drover::play
