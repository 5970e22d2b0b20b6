// Which run is meant by what was typed: an id, the beginning of one, a name, @last. Whoever asks
// more than once finds that out first: a request later it may mean another run.
#pragma once

#include <string>

#include "cli/context.h"

namespace drover::cli {

// Its whole id. One that was typed is not asked for: the run may be gone, and its id says enough.
Result<std::string> whole_id(Context& context, const std::string& typed);

}  // namespace drover::cli
