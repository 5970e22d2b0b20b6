// Resolves a typed run to its id: an id, the beginning of one, a name, @last. A command with
// several requests resolves it first, because the same text may name another run a moment later.
#pragma once

#include <string>

#include "cli/context.h"

namespace drover::cli {

// Returns the whole id. A whole id is returned without asking the daemon: the run may have been
// removed.
Result<std::string> whole_id(Context& context, const std::string& typed);

}  // namespace drover::cli
