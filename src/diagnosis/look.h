// Reads /proc of a run's processes into a Scene. It neither stops nor signals a process, and takes
// a few milliseconds for a tree of a few processes. Skips files that it may not read; `blind` says
// so.
#pragma once

#include "diagnosis/scene.h"

namespace drover::diagnosis {

enum class Depth {
  usage,  // Processes and the resources they use.
  whole,  // Also what each of them waits for.
};

// `keeper` is the parent of all of them; `leader` is the command itself.
Scene look(std::int32_t keeper, std::int32_t leader, Depth depth);

// `second` with the differences from `first`, which was taken `apart_ms` earlier.
Scene compare(const Scene& first, Scene second, std::int64_t apart_ms);

}  // namespace drover::diagnosis
