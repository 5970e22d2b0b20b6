// The manifest is build/manifest.json: the project's identity and the list of the files in build/.
// The same files and the same drover.toml give the same bytes, on every machine, at every time
// (P2). Its format is in docs/play.md.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "base/result.h"
#include "play/build_tree.h"
#include "play/project.h"

namespace drover::play {

struct ManifestTally {
  size_t files = 0;  // Links included.
  std::uint64_t bytes = 0;
};

// Pure: the text of the manifest.
std::string manifest_text(const Project& project, std::span<const BuildEntry> entries);

// Writes root/build/manifest.json: to a temporary file, synced, renamed, so that readers see the
// whole new manifest or the old one. Removes temporary files of interrupted writers. Concurrent
// writers take turns.
Result<ManifestTally> write_manifest(const std::string& root, const Project& project);

}  // namespace drover::play
