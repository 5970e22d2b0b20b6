// The manifest is build/manifest.json: what the build left, file by file, and whose it is. The same
// files and the same drover.toml give the same bytes, on every machine, at every time (P2). Its
// format is in docs/play.md.
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

// Writes root/build/manifest.json: aside, synced, renamed, so that it is there whole or as it was.
// What an earlier one left aside is removed. Two at once come one after the other.
Result<ManifestTally> write_manifest(const std::string& root, const Project& project);

}  // namespace drover::play
