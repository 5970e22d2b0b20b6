#include "spine/missed.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "run/event_data.h"

namespace drover::spine {
namespace {

// The run of an event as it is stored now. If it was deleted since, its last event counts; nothing
// if it had finished before this event.
Result<std::optional<run::Record>> run_of(store::Store& store, const run::Event& event) {
  auto record = store.find(event.run_id);
  if (!record || *record || !event.is_final) return record;
  return run::record_of(event);
}

}  // namespace

Result<std::vector<store::Written>> commits_of(store::Store& store,
                                               std::vector<run::Event> events) {
  std::vector<store::Written> out;
  for (run::Event& event : events) {
    const auto known = std::ranges::find(
        out, event.run_id, [](const store::Written& w) -> const RunId& { return w.record.id; });
    if (known != out.end()) {
      known->events.push_back(std::move(event));
      continue;
    }
    if (!event.is_of_run()) {
      out.emplace_back().events.push_back(std::move(event));
      continue;
    }
    auto record = run_of(store, event);
    // An unreadable row must not stop the others.
    if (!record && record.error().code == ErrorCode::corrupt) continue;
    if (!record) return std::unexpected(record.error());
    if (!*record) continue;
    store::Written& written = out.emplace_back();
    written.record = std::move(**record);
    written.events.push_back(std::move(event));
  }
  // The store's cache may be older than its event log: it is updated with the answer to the write,
  // which the reading of the event log does not wait for. If a record is older than its event, ask
  // again.
  for (const store::Written& written : out) {
    const bool stored = written.record.number != 0;
    if (stored && written.record.events < written.events.back().run_seq) {
      return fail(ErrorCode::unavailable, "record_behind_log",
                  written.record.id.str() + " was read without its latest events; try again");
    }
  }
  return out;
}

}  // namespace drover::spine
