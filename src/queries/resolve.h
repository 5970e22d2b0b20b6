// What stands for a run in a path: its id; @last, the newest run, or @failed, the newest that
// failed, timed out or was abandoned; the name of the only run of the caller's own that has it;
// else a unique prefix of its id (with or without run_), or the name of the only run that has it
// among those that the caller can see. Whatever resolves to nothing is not_found, however it looks
// (H5).
#pragma once

#include <string_view>

#include "access/grant.h"
#include "base/id.h"
#include "store/store.h"

namespace drover::queries {

// A whole id is taken at its word: whether there is such a run is for the caller to find out.
Result<RunId> resolve(store::Store& store, std::string_view text);

// The same for a caller who may not see every run: what it cannot see is not there.
Result<RunId> resolve_within(store::Store& store, const access::Grant& grant,
                             std::string_view text);

// The record of what `text` stands for.
Result<run::Record> find_run(store::Store& store, std::string_view text);

std::unexpected<Error> no_such_run(std::string_view text);

}  // namespace drover::queries
