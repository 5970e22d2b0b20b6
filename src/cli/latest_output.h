// The latest output of a run, for a screen of a few rows: `drover top`.
#pragma once

#include <string>

#include "base/result.h"
#include "cli/client/client.h"

namespace drover::cli {

// About the last `rows` lines of the output of `run`, and always its newest bytes. A gap between
// them is a line of its own. Of long lines only the last limits::kLogChunkBytes are read: they fill
// every screen.
Result<std::string> latest_output(Client& client, const std::string& run, size_t rows);

}  // namespace drover::cli
