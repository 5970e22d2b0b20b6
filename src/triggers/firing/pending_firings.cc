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
  bus::Subscription* occurrences = nullptr;
};

PendingFirings::PendingFirings(asio::any_io_executor loop, store::ReadPool& reads, bus::Bell& bell,
                               Firing& firing, std::chrono::milliseconds retry_after)
    : loop_(std::move(loop)),
      reads_(reads),
      bell_(bell),
      firing_(firing),
      retry_after_(retry_after),
      shared_(std::make_shared<Shared>()) {}

PendingFirings::~PendingFirings() {
  shared_->closed = true;
  if (shared_->occurrences != nullptr) shared_->occurrences->leave();
}

void PendingFirings::begin() {
  asio::co_spawn(loop_, keep_firing(shared_), in_background);
}

asio::awaitable<void> PendingFirings::keep_firing(std::shared_ptr<Shared> shared) {
  bus::Subscription occurrences(bell_, loop_, {.run = {}, .scope = {}, .about = "trigger"},
                                bell_.last_seq());
  shared->occurrences = &occurrences;
  while (!shared->closed) {
    const bool fired = co_await fire_pending(shared);
    if (shared->closed) co_return;
    const auto pause = fired ? Clock::duration(kForEver) : Clock::duration(retry_after_);
    for (bool is_added = !fired; !shared->closed;) {
      const auto page = co_await occurrences.next(Clock::now() + pause);
      if (shared->closed) co_return;
      if (!page) break;
      for (const bus::EventPtr& event : page->events) is_added |= event->type == "trigger.pending";
      if (is_added || page->lagged > 0 || !fired) break;
    }
  }
}

asio::awaitable<bool> PendingFirings::fire_pending(std::shared_ptr<Shared> shared) {
  // A trigger that cannot fire keeps the order of its events, and delays no other: its occurrences
  // are passed over until the next try.
  std::set<std::string> stuck;
  for (PendingKey last;;) {
    const auto occurrences = co_await reads_.ask(
        store::daemon_itself(),
        [last](store::Reads& store) { return pending(store, kFiringsAtOnce, last); });
    if (shared->closed || !occurrences) co_return false;
    if (occurrences->empty()) co_return stuck.empty();
    for (const PendingKey& occurrence : *occurrences) {
      if (stuck.contains(occurrence.trigger)) continue;
      if (!co_await fire_one(occurrence)) stuck.insert(occurrence.trigger);
      if (shared->closed) co_return false;
    }
    last = occurrences->back();
  }
}

asio::awaitable<bool> PendingFirings::fire_one(PendingKey pending) {
  struct Found {
    StoredTrigger trigger;
    std::optional<Occurrence> occurrence;
  };
  auto found =
      co_await reads_.ask(store::daemon_itself(), [pending](store::Reads& store) -> Result<Found> {
        auto stored = find_trigger(store, pending.trigger);
        if (!stored) return std::unexpected(stored.error());
        auto occurrence = find_occurrence(store, pending.trigger, pending.key);
        if (!occurrence) return std::unexpected(occurrence.error());
        return Found{std::move(*stored), std::move(*occurrence)};
      });
  // A trigger that was removed took its occurrences along.
  if (!found) co_return found.error().code == ErrorCode::not_found;
  if (!found->occurrence || found->occurrence->outcome != Outcome::pending) co_return true;
  StoredTrigger* const trigger = &found->trigger;
  auto spec = read_spec(trigger->spec, trigger->anchor);
  FiringRequest request{.trigger = std::move(*trigger),
                        .spec = spec ? std::move(*spec) : TriggerSpec{},
                        .occurrence = std::move(*found->occurrence)};
  request.event = request.occurrence.event;
  request.is_pending = true;
  if (!spec) {
    request.occurrence.outcome = Outcome::skipped;
    request.occurrence.reason = spec.error().reason + ": " + spec.error().message;
    co_return (co_await firing_.account(std::move(request))).has_value();
  }
  const auto occurrence = co_await firing_.fire(std::move(request));
  if (occurrence || occurrence.error().code == ErrorCode::conflict) co_return true;
  log::warn("trigger {} waits: {}", pending.trigger, occurrence.error().message);
  co_return false;
}

}  // namespace drover::triggers
