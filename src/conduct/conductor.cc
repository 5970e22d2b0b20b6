#include "conduct/conductor.h"

#include <algorithm>
#include <boost/asio/co_spawn.hpp>
#include <chrono>
#include <utility>

#include "base/background.h"
#include "base/limits.h"
#include "conduct/pause.h"
#include "log/log.h"

namespace drover::conduct {
namespace {

constexpr std::chrono::hours kEventWait{1};  // The bell ends the wait earlier.

// A composite is in its first phase with its first commit (run/phase.h), and the type of that event
// is its room's own.
bool is_of_composite(const run::Event& event) {
  return event.is_of_run() && !event.type.starts_with("run.");
}

}  // namespace

Conductor::Conductor(Parts parts, std::vector<Script> scripts)
    : parts_(std::move(parts)), scripts_(std::move(scripts)) {}

asio::awaitable<Result<>> Conductor::resume() {
  if (auto begun = co_await begin_all(); !begun) co_return begun;
  asio::co_spawn(parts_.loop, follow_log(), in_background);
  co_return Result<>{};
}

// If an event's run cannot be looked up, or too many events are missed, all active composites are
// listed once the store can be read again.
asio::awaitable<void> Conductor::follow_log() {
  for (;;) {
    const auto page = co_await subscription_->next(std::chrono::steady_clock::now() + kEventWait);
    bool missed = !page || page->lagged != 0;
    if (page) {
      for (const bus::EventPtr& event : page->events) {
        const auto begun = co_await begin_new(event);
        missed |= !begun;
      }
    }
    while (missed) {
      co_await pause(parts_.loop);
      const auto begun = co_await begin_all();
      missed = !begun;
    }
  }
}

asio::awaitable<Result<>> Conductor::begin_new(bus::EventPtr event) {
  if (!is_of_composite(*event) || conducted_.contains(event->run_id)) co_return Result<>{};
  const auto record = co_await parts_.reads.find(event->run_id);
  if (!record && record.error().code == ErrorCode::corrupt) {
    co_return Result<>{};  // Nothing can run it.
  }
  if (!record) co_return std::unexpected(record.error());
  if (*record) begin(**record);
  co_return Result<>{};
}

asio::awaitable<Result<>> Conductor::begin_all() {
  // Subscribe before listing: a composite recorded meanwhile is found by one or the other.
  subscription_.emplace(parts_.bell, parts_.loop,
                        bus::Filter{.run = {}, .scope = {}, .of_rooms = true},
                        parts_.bell.last_seq());
  if (scripts_.empty()) co_return Result<>{};
  store::Query query{.active_only = true, .oldest_first = true, .limit = limits::kQueuedMax};
  for (const Script& script : scripts_) query.kinds.push_back(script.kind);
  const auto active = co_await parts_.reads.ask(
      store::daemon_itself(), [query](store::Reads& store) { return store.list(query); });
  if (!active) co_return std::unexpected(active.error());
  for (const run::Record& record : *active) begin(parts_.reads.newest(record));
  co_return Result<>{};
}

void Conductor::begin(const run::Record& record) {
  const auto script = std::ranges::find(scripts_, record.kind, &Script::kind);
  if (script == scripts_.end() || run::is_finished(record.state)) return;
  const auto [place, added] = conducted_.try_emplace(record.id);
  if (!added) return;
  place->second = std::make_unique<Composite>(parts_, *script, record);
  asio::co_spawn(parts_.loop, see_through(*place->second, *script, record), in_background);
}

asio::awaitable<void> Conductor::see_through(Composite& composite, const Script& script,
                                             run::Record record) {
  const RunId id = record.id;
  co_await script.see_through(composite, std::move(record));
  const run::Record left = co_await composite.record();
  if (run::is_finished(left.state)) {
    conducted_.erase(id);
  } else {
    log::error(id, "its script has returned, but the run has not finished");
  }
}

}  // namespace drover::conduct
