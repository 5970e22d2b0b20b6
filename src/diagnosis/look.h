// Looking: reads /proc of a run's processes into a scene. It stops and signals nobody, and takes a
// few milliseconds for a tree of a few processes. What may not be read is left out; `blind` says
// so.
#pragma once

#include "diagnosis/scene.h"

namespace drover::diagnosis {

enum class Depth {
  usage,  // Processes and what they use.
  whole,  // And what each of them waits for.
};

// `keeper` is the parent of all of them; `leader` the command itself.
Scene look(std::int32_t keeper, std::int32_t leader, Depth depth);

// The same scene, a little later, compared with the `first` look.
Scene compare(const Scene& first, Scene second, std::int64_t apart_ms);

}  // namespace drover::diagnosis
