#include "queries/evidence.h"

#include "base/limits.h"
#include "queries/resolve.h"

namespace drover::queries {

Result<store::Evidence> find_evidence(store::Store& store, std::string_view text) {
  const auto id = resolve(store, text);
  if (!id) return std::unexpected(id.error());
  auto found = store::evidence_of(store, *id);
  if (!found) return std::unexpected(found.error());
  if (!*found) return no_such_run(text);
  return std::move(**found);
}

Result<run::Handle> read_handle(store::Store& store, std::string_view text) {
  const auto id = RunId::parse(text);
  if (!id) return no_such_run(text);
  run::Handle handle;
  store::EventQuery query{.run = *id, .limit = limits::kTimelineDefault};
  while (true) {
    auto events = store.events(query);
    if (!events) return std::unexpected(events.error());
    for (const run::Event& event : *events) handle.see(event);
    if (events->size() < query.limit) break;
    query.after = events->back().seq;
  }
  if (!handle.known()) return no_such_run(text);
  return handle;
}

Result<run::Record> last_attempt(store::Store& store, run::Record record) {
  auto next = RunId::parse(record.retried_by);
  while (next) {
    auto found = store::evidence_of(store, *next);
    if (!found) return std::unexpected(found.error());
    if (!*found) break;
    next = RunId::parse((*found)->record.retried_by);
    if (!(*found)->deleted) record = std::move((*found)->record);
  }
  return record;
}

}  // namespace drover::queries
