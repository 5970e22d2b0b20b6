// Evidence is what a store can still tell of a run: its record or, once that was deleted, what its
// terminal event says of it (H4). Whoever asks how a run ended asks here, and gets the same answer
// before and after the deletion, for every field that the event carries.
#pragma once

#include <optional>

#include "store/dependencies.h"
#include "store/store.h"

namespace drover::store {

struct Evidence {
  run::Record record;
  bool deleted = false;  // Then the record is run::record_of its terminal event.
};

// Nothing: there was never such a run.
Result<std::optional<Evidence>> evidence_of(Store& store, const RunId& id);

// How it stands for those who wait for it (dependencies.h).
Result<DependencyStatus> dependency_status(Store& store, const RunId& id);

}  // namespace drover::store
