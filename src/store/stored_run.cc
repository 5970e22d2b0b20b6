#include "store/stored_run.h"

#include "run/event_data.h"

namespace drover::store {

Result<std::optional<StoredRun>> find_stored_run(Reads& store, const RunId& id) {
  auto record = store.find(id);
  if (!record) return std::unexpected(record.error());
  if (*record) return StoredRun{.record = std::move(**record)};
  const auto end = store.final_event(id);
  if (!end) return std::unexpected(end.error());
  if (!*end) return std::nullopt;
  return StoredRun{.record = run::record_of(**end), .deleted = true};
}

Result<DependencyStatus> dependency_status(Reads& store, const RunId& id) {
  const auto found = find_stored_run(store, id);
  if (!found) return std::unexpected(found.error());
  return *found ? dependency_status((*found)->record) : DependencyStatus{};
}

}  // namespace drover::store
