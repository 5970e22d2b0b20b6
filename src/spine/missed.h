// Missed commits: commits of unknown fate that landed after all. The observer is shown them later,
// as reconstructed from their events.
#pragma once

#include <vector>

#include "store/store.h"

namespace drover::spine {

// One Written for each run in the events, in the order of the events, with the record as it is
// stored now; and one without a record for all events that are not about runs. Of a run that was
// deleted since, only the id, the state and the next attempt are known.
Result<std::vector<store::Written>> commits_of(store::Store& store, std::vector<run::Event> events);

}  // namespace drover::spine
