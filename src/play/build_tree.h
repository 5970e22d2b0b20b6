// The build tree is what the build left in build/, as a manifest tells of it: every file with its
// size and SHA-256, and every link with its target, sorted bytewise by path. It holds nothing that
// differs between machines: no times, modes, owners or absolute paths. Empty directories are not in
// it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace drover::play {

inline constexpr std::string_view kManifestName = "manifest.json";
inline constexpr std::string_view kManifestAside = ".manifest.json.";  // A crash left one, perhaps.

struct BuildEntry {
  std::string path;  // Below build/: bytes, as the file system has them.
  std::uint64_t size = 0;
  std::string sha256;  // In hex; empty: it is a link
  std::string link;    // to this.
};

// All of the directory `build` (an open descriptor) but its manifest and what was written aside for
// it. `bad_build` if it holds something that cannot be shipped: a link that leads out of it, to
// nowhere or to the manifest, a pipe, a socket, a device, or a file that changes meanwhile.
// `build_too_large` beyond the limits.
Result<std::vector<BuildEntry>> read_build_tree(int build);

}  // namespace drover::play
