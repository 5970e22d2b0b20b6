#include "store/evidence.h"

#include "run/event_data.h"

namespace drover::store {

Result<std::optional<Evidence>> evidence_of(Store& store, const RunId& id) {
  auto record = store.find(id);
  if (!record) return std::unexpected(record.error());
  if (*record) return Evidence{.record = std::move(**record)};
  const auto end = store.terminal_event(id);
  if (!end) return std::unexpected(end.error());
  if (!*end) return std::nullopt;
  return Evidence{.record = run::record_of(**end), .deleted = true};
}

Result<DependencyStatus> dependency_status(Store& store, const RunId& id) {
  const auto found = evidence_of(store, id);
  if (!found) return std::unexpected(found.error());
  return *found ? dependency_status((*found)->record) : DependencyStatus{};
}

}  // namespace drover::store
