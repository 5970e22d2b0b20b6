#include "dispatch/queue/plans.h"

#include <algorithm>
#include <utility>

#include "run/waiting.h"
#include "store/stored_run.h"

namespace drover::dispatch {

Plans::Plans(const Host& host)
    : host_(host), alarms_(host.loop, host.clock, [this](const RunId& id) { review(id); }) {}

void Plans::see(const run::Record& record, bool ended) {
  if (record.held && record.state == run::State::queued) return hold(record);
  times_.erase(record.id);
  if (record.waits_for_others()) {
    dependents_.forget(record.id);
    needed_runs_.forget(record.id);
  }
  if (!ended) return;
  for (const RunId& id : dependents_.ended(record)) review(id);
}

// Makes sure that a held run is reviewed when something has changed.
void Plans::hold(const run::Record& record) {
  needed_runs_.add(record);
  const bool due = run::is_due(record, host_.clock.wall_ms());
  if (!due) {
    alarms_.set(record.id, record.not_before);
    times_[record.id] = {record.queued_at, record.not_before};
  }
  if (dependents_.knows(record.id)) return;
  bool changed = !record.waits_for_others();  // Its start time may have passed unnoticed.
  const auto wait_for = [&](RunId other, bool must_complete) {
    while (true) {
      const auto known = host_.reads.at_hand(other);
      if (!known || run::is_active(known->state)) {
        dependents_.add(record.id, other, must_complete);
        if (!known) look_up(other);
        return;
      }
      const auto next = RunId::parse(known->retried_by);
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

void Plans::look_up(const RunId& id) {
  unknown_.insert(id);
  if (!std::exchange(looking_up_, true)) host_.spawn(look_up_all());
}

asio::awaitable<void> Plans::look_up_all() {
  while (!unknown_.empty()) {
    std::vector<RunId> some;
    while (!unknown_.empty() && some.size() < store::kSingleFindsMax) {
      some.push_back(unknown_.extract(unknown_.begin()).value());
    }
    const auto found = co_await host_.reads.ask(
        store::daemon_itself(), [some](store::Reads& store) { return find(store, some); });
    if (found) {
      for (const Found& one : *found) take(one);
    }
    if (found && found->size() == some.size()) continue;
    // Those that could not be read: all of them, or damaged ones.
    for (const RunId& id : some) {
      if (!found || std::ranges::find(*found, id, &Found::id) == found->end()) unknown_.insert(id);
    }
    co_await host_.pause(kWriteAgain);
  }
  looking_up_ = false;
}

// On a worker.
Result<std::vector<Plans::Found>> Plans::find(store::Reads& store, const std::vector<RunId>& runs) {
  std::vector<Found> all;
  for (const RunId& id : runs) {
    auto status = store::dependency_status(store, id);
    if (!status && status.error().code == ErrorCode::corrupt) continue;
    if (!status) return std::unexpected(status.error());
    all.push_back({id, std::move(*status)});
  }
  return all;
}

// It is indexed: if it has finished since, `see` was called.
void Plans::take(const Found& found) {
  if (!found.status.known) return;  // Its end is not known either: its waiters keep waiting.
  if (run::is_active(found.status.state)) return;
  const std::vector<RunId> waiters = dependents_.ended(found.id, found.status);
  if (const auto next = RunId::parse(found.status.retried_by)) look_up(*next);
  for (const RunId& id : waiters) {
    if (!is_early(id)) review(id);
  }
}

// Before its start time there is nothing to decide; then the alarm reviews it.
bool Plans::is_early(const RunId& waiter) const {
  const auto times = times_.find(waiter);
  if (times == times_.end()) return false;
  run::Record record;
  record.queued_at = times->second.queued_at;
  record.not_before = times->second.not_before;
  return !run::is_due(record, host_.clock.wall_ms());
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
  dependents_.forget(id);  // If it keeps waiting, its dependencies are indexed again.
  review(id);
}

}  // namespace drover::dispatch
