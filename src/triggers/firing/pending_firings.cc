#include "triggers/firing/pending_firings.h"

#include <boost/asio/co_spawn.hpp>
#include <set>
#include <string>

#include "base/background.h"
#include "log/log.h"

namespace drover::triggers {
namespace {

using Clock = std::chrono::steady_clock;

constexpr auto kForEver = std::chrono::hours(24);

}  // namespace

struct PendingFirings::Shared {
  bool closed = false;
  bus::Subscription* rows = nullptr;
};

PendingFirings::PendingFirings(asio::any_io_executor loop, store::ReadPool& reads, bus::Bell& bell,
                               Firing& firing, std::chrono::milliseconds try_again)
    : loop_(std::move(loop)),
      reads_(reads),
      bell_(bell),
      firing_(firing),
      try_again_(try_again),
      shared_(std::make_shared<Shared>()) {}

PendingFirings::~PendingFirings() {
  shared_->closed = true;
  if (shared_->rows != nullptr) shared_->rows->leave();
}

void PendingFirings::begin() {
  asio::co_spawn(loop_, keep_firing(shared_), in_background);
}

asio::awaitable<void> PendingFirings::keep_firing(std::shared_ptr<Shared> shared) {
  bus::Subscription rows(bell_, loop_, {.run = {}, .scope = {}, .about = "trigger"},
                         bell_.last_seq());
  shared->rows = &rows;
  while (!shared->closed) {
    const bool fired = co_await fire_pending(shared);
    if (shared->closed) co_return;
    const auto pause = fired ? Clock::duration(kForEver) : Clock::duration(try_again_);
    for (bool look = !fired; !shared->closed;) {
      const auto page = co_await rows.next(Clock::now() + pause);
      if (shared->closed) co_return;
      if (!page) break;
      for (const bus::EventPtr& event : page->events) look |= event->type == "trigger.pending";
      if (look || page->lagged > 0 || !fired) break;
    }
  }
}

asio::awaitable<bool> PendingFirings::fire_pending(std::shared_ptr<Shared> shared) {
  // A trigger that cannot fire keeps the order of its events, and delays no other: its rows are
  // passed over until the next try.
  std::set<std::string> stuck;
  for (PendingKey last;;) {
    const auto rows = co_await reads_.ask(store::daemon_itself(), [last](store::Reads& store) {
      return pending(store, kFiringsAtOnce, last);
    });
    if (shared->closed || !rows) co_return false;
    if (rows->empty()) co_return stuck.empty();
    for (const PendingKey& row : *rows) {
      if (stuck.contains(row.trigger)) continue;
      if (!co_await fire_one(row)) stuck.insert(row.trigger);
      if (shared->closed) co_return false;
    }
    last = rows->back();
  }
}

asio::awaitable<bool> PendingFirings::fire_one(PendingKey pending) {
  struct Found {
    StoredTrigger trigger;
    std::optional<Occurrence> row;
  };
  auto found =
      co_await reads_.ask(store::daemon_itself(), [pending](store::Reads& store) -> Result<Found> {
        auto stored = find_trigger(store, pending.trigger);
        if (!stored) return std::unexpected(stored.error());
        auto row = find_occurrence(store, pending.trigger, pending.key);
        if (!row) return std::unexpected(row.error());
        return Found{std::move(*stored), std::move(*row)};
      });
  // A trigger that was removed took its rows along.
  if (!found) co_return found.error().code == ErrorCode::not_found;
  if (!found->row || found->row->outcome != Outcome::pending) co_return true;
  StoredTrigger* const trigger = &found->trigger;
  auto spec = read_spec(trigger->spec, trigger->anchor);
  FiringRequest request{.trigger = std::move(*trigger),
                        .spec = spec ? std::move(*spec) : TriggerSpec{},
                        .occurrence = std::move(*found->row)};
  request.event = request.occurrence.event;
  request.is_pending = true;
  if (!spec) {
    request.occurrence.outcome = Outcome::skipped;
    request.occurrence.reason = spec.error().reason + ": " + spec.error().message;
    co_return (co_await firing_.account(std::move(request))).has_value();
  }
  const auto row = co_await firing_.fire(std::move(request));
  if (row || row.error().code == ErrorCode::conflict) co_return true;
  log::warn("trigger {} waits: {}", pending.trigger, row.error().message);
  co_return false;
}

}  // namespace drover::triggers
