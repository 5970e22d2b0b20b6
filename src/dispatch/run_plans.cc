// How the RunDispatcher sees plans through (R17): runs that wait for others, for their time, and
// come again. What they wait for is judged by the store; here it is only noticed.
#include "base/crash_point.h"
#include "dispatch/run_dispatcher.h"
#include "log/log.h"

namespace drover::dispatch {

// A held run was shown: see to it that it is looked at again when something has changed.
void RunDispatcher::hold(const run::Record& record) {
  const bool due = run::is_due(record, clock_.wall_ms());
  if (!due) alarms_.set(record.id, record.not_before);
  if (waits_.knows(record.id)) return;
  bool changed = !record.waits_for_others();  // Its time came while nobody looked.
  const auto wait_for = [&](RunId other, bool must_complete) {
    while (true) {
      const auto found = standing_of(other);
      if (!found) return spawn(review_later(record.id));
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
  // It may have ended since, or while no daemon was there.
  if (changed && due) review(record.id);
}

Result<store::Standing> RunDispatcher::standing_of(const RunId& id) {
  const auto record = store_.find(id);
  if (!record) return std::unexpected(record.error());
  if (*record) {
    return store::Standing{
        .known = true, .state = (*record)->state, .retried_by = (*record)->retried_by};
  }
  const auto event = store_.terminal_event(id);
  if (!event) return std::unexpected(event.error());
  return *event ? store::standing_of(**event) : store::Standing{};
}

// Somebody whom others may wait for has ended.
void RunDispatcher::let_go(const run::Record& ended) {
  for (const RunId& id : waits_.ended(ended)) review(id);
}

void RunDispatcher::review(const RunId& id) {
  if (closing_) return;  // It would be claimed.
  spine_.record(run::Reviewed{id}, [this, id](Result<store::Written> written) {
    crash_point("review.recorded");
    if (written) {
      settle(written->record);
      claim_next();
    } else if (written.error().code == ErrorCode::unavailable) {
      spawn(review_later(id));
    }
  });
}

asio::awaitable<void> RunDispatcher::review_later(RunId id) {
  co_await pause(kWriteAgain);
  if (const auto record = store_.find(id); record && *record) {
    waits_.forget(id);  // Who waits for whom is found out anew.
    settle(**record);
    if ((*record)->held) review(id);
  } else if (!record) {
    spawn(review_later(id));
  }
}

}  // namespace drover::dispatch
