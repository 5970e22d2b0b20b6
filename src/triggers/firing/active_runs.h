// The active runs of a trigger are those that have not finished, newest first: at most one more
// than may wait (kQueuedRunsMax). Overlap rules and the loop guard ask for them.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/id.h"
#include "base/result.h"
#include "store/transaction.h"

namespace drover::triggers {

// Ten thousand triggers that are due together have as many active runs, and a scope may have a long
// history. So this needs the index of unfinished runs by scope, which quotas have
// (access/token.cc).
inline constexpr std::string_view kActiveRuns =
    "SELECT id FROM runs WHERE state < 3 AND scope = $1 ORDER BY number DESC LIMIT $2";

Result<std::vector<RunId>> active_runs(store::Transaction& transaction, const std::string& trigger);

}  // namespace drover::triggers
