// The limits of projects and plays, each with its reason.
#pragma once

#include <cstddef>
#include <cstdint>

namespace drover::play {

// Steps and runtimes of all projects at once: a person waits for each.
inline constexpr std::int64_t kPlayLaneLimit = 64;
inline constexpr size_t kProjectBytesMax = 1 << 20;  // drover.toml: a person wrote it.
inline constexpr size_t kSetupBytesMax = 64 * 1024;  // One path, and settings of other tools.
// A manifest is read whole when a play starts.
inline constexpr size_t kManifestFilesMax = 200'000;
inline constexpr std::int64_t kManifestMs = 600'000;  // A disk that hangs, a lock that stays taken.
inline constexpr size_t kManifestDepthMax = 64;       // A descriptor each; deeper is a loop.
inline constexpr size_t kManifestNestingMax = 16;     // Nested tables; some readers stop at 32.
inline constexpr size_t kDiagnosticLineBytesMax = 64 << 10;  // Of a play's log; cut if longer.
// A diagnostic, over all its lines: it is parsed in one piece on the loop, in a few milliseconds. A
// longer one blocks the pack.
inline constexpr size_t kDiagnosticBytesMax = 1 << 20;
inline constexpr size_t kDiagnosticNestingMax = 64;       // Reports nest about ten levels deep.
inline constexpr size_t kDiagnosticTextBytesMax = 4'096;  // For its message, and for its file.
inline constexpr size_t kProjectLockBytesMax = 16 << 10;  // A home and a pid; paths are shorter.

}  // namespace drover::play
