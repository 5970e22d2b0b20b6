// Missed commits: what a commit would have shown of the runs it changed, made anew from its events
// when nobody was told whether it landed.
#pragma once

#include <vector>

#include "store/store.h"

namespace drover::spine {

// One Written for each run that the events are about, in the order of the events, with the record
// as it is stored now; and one without a record for all events that are about no run. Of a run that
// has been deleted since only its end is known: its id, its state and the attempt that follows.
Result<std::vector<store::Written>> commits_of(store::Store& store, std::vector<run::Event> events);

}  // namespace drover::spine
