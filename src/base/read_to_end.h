// Reads an open file from its current position to its end.
#pragma once

#include <string>

#include "base/result.h"

namespace drover {

// At most `bytes_max`; a larger file is an error, not a truncation. `path` is for the error.
Result<std::string> read_to_end(int fd, const std::string& path, size_t bytes_max);

}  // namespace drover
