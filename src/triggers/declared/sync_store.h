// The store's part of the sync of declared triggers (sync_plan.h): what it reads, and the commit of
// one file. It decides nothing.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "store/reads.h"
#include "store/transaction.h"
#include "triggers/declared/sync_plan.h"
#include "triggers/events/event_follower.h"

namespace drover::triggers {

// The roots of the registered projects: the drover.toml of each may declare triggers.
Result<std::vector<std::string>> project_roots(store::Reads& store);

// Every declared trigger, and every trigger of a name that one of the files declares. Without their
// variables, which are not in the store.
Result<StoredByName> stored_for(store::Reads& store, const std::vector<DeclaredFile>& files);

// The commit of one file. Refused: `trigger_changed` if a trigger was changed since it was read.
store::Work work_of(const FileSync& sync, const DecidedEvents& decided);

}  // namespace drover::triggers
