#include "spine/missed.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "run/event_data.h"

namespace drover::spine {
namespace {

// The run of an event as it is stored now. Of a run that was deleted since, its end is what counts;
// nothing if it had ended before.
Result<std::optional<run::Record>> run_of(store::Store& store, const run::Event& event) {
  auto record = store.find(event.run_id);
  if (!record || *record || !event.terminal) return record;
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
    // A row that holds nonsense is nobody's trouble but its own.
    if (!record && record.error().code == ErrorCode::corrupt) continue;
    if (!record) return std::unexpected(record.error());
    if (!*record) continue;
    store::Written& written = out.emplace_back();
    written.record = std::move(**record);
    written.events.push_back(std::move(event));
  }
  // The store may answer from before: what it remembers of a run is put right with the answer to
  // the write, and the log is read without waiting for that. Then it is asked again.
  for (const store::Written& written : out) {
    const bool stored = written.record.number != 0;
    if (stored && written.record.events < written.events.back().run_seq) {
      return fail(ErrorCode::unavailable, "record_behind_log",
                  written.record.id.str() + " is not yet read as its events tell");
    }
  }
  return out;
}

}  // namespace drover::spine
