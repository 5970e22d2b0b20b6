// The sizes of a run's output on disk, by stream. For a run whose keeper died before it recorded
// how much the command had printed: it was at least this much.
#pragma once

#include <cstdint>
#include <string>

#include "base/result.h"

namespace drover {

struct OutputSizes {
  std::uint64_t out = 0;  // With the bytes of records whose stream is not known.
  std::uint64_t err = 0;
};

// Of the run's directory `path`. A directory without output has zeros. Reads the index, not the
// output.
Result<OutputSizes> output_sizes(const std::string& path);

}  // namespace drover
