// A StoredRun is a run as the store knows it: its record or, once that was deleted, the data of
// its last event (H4). The answer is the same before and after the deletion, for every field that
// the event carries.
#pragma once

#include <optional>

#include "store/dependencies.h"
#include "store/store.h"

namespace drover::store {

struct StoredRun {
  run::Record record;
  bool deleted = false;  // Then the record is run::record_of its last event.
};

// Nothing: there was never such a run.
Result<std::optional<StoredRun>> find_stored_run(Reads& store, const RunId& id);

// Its state, for runs that wait for it (dependencies.h).
Result<DependencyStatus> dependency_status(Reads& store, const RunId& id);

}  // namespace drover::store
