#include "triggers/firing/active_runs.h"

#include "triggers/definition/stored_trigger.h"
#include "triggers/limits.h"

namespace drover::triggers {

Result<std::vector<RunId>> active_runs(store::Transaction& transaction,
                                       const std::string& trigger) {
  const auto rows = transaction.query(kActiveRuns, {scope_of(trigger), kQueuedRunsMax + 1});
  if (!rows) return std::unexpected(rows.error());
  std::vector<RunId> ids;
  for (const store::Values& row : *rows) {
    if (const auto id = RunId::parse(row[0].text())) ids.push_back(*id);
  }
  return ids;
}

}  // namespace drover::triggers
