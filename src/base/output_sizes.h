// How much of each stream of a run's output is on disk. For a run whose keeper died without an
// account: at least so much was printed.
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
