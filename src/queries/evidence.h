// The evidence of a run is its record or, once that was deleted, the part of it that its final
// event repeats (store/stored_run.h). These queries also find a run's status and its last attempt.
#pragma once

#include <string_view>

#include "run/permanent_status.h"
#include "store/stored_run.h"

namespace drover::queries {

// The record of the run that `text` resolves to (resolve.h), or the evidence that remains of it.
// not_found: there was never such a run.
Result<store::StoredRun> find_evidence(store::Reads& store, std::string_view text);

// Everything that a run's events say about it; not_found if it has none. `text` is a complete id: a
// handle names a run and is not a search.
Result<run::PermanentStatus> read_permanent_status(store::Reads& store, std::string_view text);

// The status as every door shows it (H2): PermanentStatus::describe, with the launchers that scopes
// may name, and a link to the timeline.
boost::json::object describe_status(const run::PermanentStatus& status);

// The last attempt of a retried run whose record still exists (R17). Follows the chain across
// deleted attempts.
Result<run::Record> last_attempt(store::Reads& store, run::Record record);

}  // namespace drover::queries
