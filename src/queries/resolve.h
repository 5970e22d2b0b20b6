// Resolves the text in a path to a run. In this order: a complete id; @last, the newest run, or
// @failed, the newest that failed, timed out or was abandoned; the name of exactly one of the
// caller's own runs; a unique prefix of an id (with or without run_) or the name of exactly one
// run, among the runs that the caller can see. Anything else is not_found, whatever it looks like
// (H5).
#pragma once

#include <string_view>

#include "access/grant.h"
#include "base/id.h"
#include "store/store.h"

namespace drover::queries {

// Returns a complete id as it is: the caller finds out whether that run exists.
Result<RunId> resolve(store::Store& store, std::string_view text);

// The same for a caller who may not see every run: invisible runs do not exist for it.
Result<RunId> resolve_within(store::Store& store, const access::Grant& grant,
                             std::string_view text);

// The record of the run that `text` resolves to.
Result<run::Record> find_run(store::Store& store, std::string_view text);

std::unexpected<Error> no_such_run(std::string_view text);

}  // namespace drover::queries
