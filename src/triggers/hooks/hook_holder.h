// The holder of a hook path is the trigger that receives the requests to /hooks/PATH: at most one.
#pragma once

#include "base/result.h"
#include "store/transaction.h"
#include "triggers/definition/stored_trigger.h"

namespace drover::triggers {

// Refused (`path_taken`) if another trigger has the path of this webhook. Other triggers need none.
Result<> check_hook_path_free(store::Transaction& transaction, const StoredTrigger& trigger);

}  // namespace drover::triggers
