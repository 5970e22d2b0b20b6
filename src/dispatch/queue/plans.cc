#include "dispatch/queue/plans.h"

#include "run/waiting.h"
#include "store/evidence.h"

namespace drover::dispatch {

Plans::Plans(const Host& host)
    : host_(host), alarms_(host.loop, host.clock, [this](const RunId& id) { review(id); }) {}

void Plans::see(const run::Record& record, bool ended) {
  if (record.held && record.state == run::State::queued) return hold(record);
  if (record.waits_for_others()) {
    waits_.forget(record.id);
    needs_.forget(record.id);
  }
  if (!ended) return;
  for (const RunId& id : waits_.ended(record)) review(id);
}

// Makes sure that a held run is reviewed when something has changed.
void Plans::hold(const run::Record& record) {
  needs_.add(record);
  const bool due = run::is_due(record, host_.clock.wall_ms());
  if (!due) alarms_.set(record.id, record.not_before);
  if (waits_.knows(record.id)) return;
  bool changed = !record.waits_for_others();  // Its start time may have passed unnoticed.
  const auto wait_for = [&](RunId other, bool must_complete) {
    while (true) {
      const auto found = store::dependency_status(host_.store, other);
      if (!found) return host_.spawn(review_later(record.id));
      if (found->known && run::is_active(found->state)) {
        return waits_.add(record.id, other, must_complete);
      }
      const auto next = RunId::parse(found->retried_by);
      changed = changed || !next;
      if (!next) return;
      other = *next;
    }
  };
  for (const RunId& other : record.after) wait_for(other, true);
  for (const RunId& other : record.after_any) wait_for(other, false);
  // A dependency may have finished since, or while no daemon ran.
  if (changed && due) review(record.id);
}

void Plans::review(const RunId& id) {
  if (closed_) return;
  host_.spine.record(run::Reviewed{id}, [this, id](const Result<store::Written>& written) {
    if (!written) {
      if (written.error().code == ErrorCode::unavailable) host_.spawn(review_later(id));
    } else if (written->effect == run::Effect::none) {
      see(written->record, false);  // It keeps waiting, perhaps for another attempt than before.
    }
  });
}

asio::awaitable<void> Plans::review_later(RunId id) {
  co_await host_.pause(kWriteAgain);
  const auto record = host_.store.find(id);
  if (!record) co_return host_.spawn(review_later(id));
  if (!*record || !(*record)->held) co_return;
  waits_.forget(id);  // Its dependencies are indexed again.
  see(**record, false);
  review(id);
}

}  // namespace drover::dispatch
