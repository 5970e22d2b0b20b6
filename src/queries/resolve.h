// Resolves the text in a path to a run. In this order: a complete id; @last, the newest run, or
// @failed, the newest that failed, timed out or was abandoned and was not retried; the name of one
// of the caller's own runs; a unique prefix of an id (with or without run_) or the name of a run,
// among the runs that the caller can see. Of several runs with the name, only one may be active:
// that one is meant. A caller that is a run of that name means itself only if no other run that it
// can see has the name. Anything else is not_found, whatever it looks like (H5).
#pragma once

#include <string_view>

#include "access/grant.h"
#include "base/id.h"
#include "store/store.h"

namespace drover::queries {

// Returns a complete id as it is: the caller finds out whether that run exists.
Result<RunId> resolve(store::Reads& store, std::string_view text);

// The same for a caller who may not see every run: invisible runs do not exist for it.
Result<RunId> resolve_within(store::Reads& store, const access::Grant& grant,
                             std::string_view text);

// The record of the run that `text` resolves to.
Result<run::Record> find_run(store::Reads& store, std::string_view text);

// `not_found`, with a message for people.
std::unexpected<Error> no_such_run(std::string_view text);
// The same if the caller may see the run: if the run was removed, the error says so, and its
// details are the run's permanent status and, as `end`, how it exited (R8).
std::unexpected<Error> no_such_run(store::Reads& store, std::string_view text);

}  // namespace drover::queries
