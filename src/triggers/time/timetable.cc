#include "triggers/time/timetable.h"

#include <boost/asio/co_spawn.hpp>
#include <utility>

#include "base/background.h"
#include "log/log.h"
#include "triggers/firing/firing_steps.h"
#include "triggers/limits.h"
#include "triggers/poll/limits.h"
#include "work/wakeup.h"

namespace drover::triggers {

struct Timetable::Shared {
  Shared(const asio::any_io_executor& loop, std::unique_ptr<work::WallTimer> timer)
      : wakeup(loop, std::move(timer)), fired(loop) {}

  work::Wakeup wakeup;
  work::Wakeup fired;  // Woken when the last firing of a page has ended.
  size_t firing = 0;
  bool failed = false;
};

Timetable::Timetable(asio::any_io_executor loop, const Clock& clock, store::ReadPool& reads,
                     Firing& firing, Poller& poller, std::unique_ptr<work::WallTimer> timer)
    : loop_(std::move(loop)),
      clock_(clock),
      began_(clock.wall_ms()),
      reads_(reads),
      firing_(firing),
      poller_(poller),
      changes_(clock, reads, firing.recorder()),
      shared_(std::make_shared<Shared>(loop_, std::move(timer))) {}

Timetable::~Timetable() {
  shared_->wakeup.close();
  shared_->fired.close();
}

void Timetable::begin() {
  asio::co_spawn(loop_, keep_firing(shared_), in_background);
}

void Timetable::wake() {
  shared_->wakeup.wake();
}

asio::awaitable<void> Timetable::keep_firing(std::shared_ptr<Shared> shared) {
  work::Wakeup& wakeup = shared->wakeup;
  while (!wakeup.is_closed()) {
    const auto changed = co_await changes_.check();
    if (wakeup.is_closed()) co_return;
    if (!changed || !co_await fire_due(shared)) {
      if (wakeup.is_closed()) co_return;
      co_await wakeup.wait_until(clock_.wall_ms() + kStoreRetryMs);
      continue;
    }
    if (wakeup.is_closed()) co_return;
    const auto next = co_await reads_.ask(store::daemon_itself(),
                                          [](store::Reads& store) { return next_wake(store); });
    if (wakeup.is_closed()) co_return;
    if (!next) {
      co_await wakeup.wait_until(clock_.wall_ms() + kStoreRetryMs);
    } else if (!*next || **next > clock_.wall_ms()) {
      const WallMs check = changes_.next_check_at();
      co_await wakeup.wait_until(std::min(next->value_or(check), check));
    }
  }
}

asio::awaitable<bool> Timetable::fire_due(std::shared_ptr<Shared> shared) {
  for (;;) {
    auto due =
        co_await reads_.ask(store::daemon_itself(), [now = clock_.wall_ms()](store::Reads& store) {
          return due_triggers(store, now, kFiringsAtOnce);
        });
    if (shared->wakeup.is_closed() || !due) co_return false;
    if (due->empty()) co_return true;
    shared->firing = due->size();
    shared->failed = false;
    for (StoredTrigger& trigger : *due) {
      asio::co_spawn(loop_, fire_one(std::move(trigger)),
                     [shared](std::exception_ptr bug, bool fired) {
                       if (bug) std::rethrow_exception(bug);
                       shared->failed |= !fired;
                       if (--shared->firing == 0) shared->fired.wake();
                     });
    }
    while (shared->firing > 0 && !shared->fired.is_closed()) co_await shared->fired.wait();
    if (shared->wakeup.is_closed() || shared->failed) co_return false;
  }
}

asio::awaitable<void> Timetable::poll_one(std::shared_ptr<Shared> shared, StoredTrigger trigger,
                                          TriggerSpec spec) {
  const std::string name = trigger.name;
  const auto polled = co_await poller_.poll(std::move(trigger), std::move(spec));
  if (shared->wakeup.is_closed()) co_return;
  // Without a commit the lease ends later, and the poll is repeated.
  if (!polled) log::warn("trigger {} waits: {}", name, polled.error().message);
  wake();
}

asio::awaitable<bool> Timetable::fire_one(StoredTrigger trigger) {
  auto spec = read_spec(trigger.spec, trigger.anchor);
  if (spec && std::holds_alternative<PollSource>(spec->source)) {
    const auto leased = co_await firing_.lease(trigger, clock_.wall_ms() + kPollLeaseMs);
    if (!leased) co_return leased.error().code != ErrorCode::unavailable;
    // Beside the others: a server may take half a minute.
    asio::co_spawn(loop_, poll_one(shared_, std::move(trigger), std::move(*spec)), in_background);
    co_return true;
  }
  if (!spec || spec->schedule() == nullptr) {
    // Written by another release, or damaged: it keeps its place, and nothing else waits for it.
    log::error("trigger {}: {}", trigger.name, spec ? "it has no schedule" : spec.error().message);
    FiringRequest stop{.trigger = trigger, .spec = {}, .occurrence = {}};
    stop.position = Position{};
    co_return (co_await firing_.account(std::move(stop))).has_value();
  }
  for (FiringRequest& step : steps_for(trigger, *spec, clock_.wall_ms(), began_)) {
    const bool fires = step.occurrence.outcome == Outcome::fired && !step.occurrence.key.empty();
    Result<> done;
    if (fires) {
      const auto occurrence = co_await firing_.fire(step);
      if (!occurrence) done = std::unexpected(occurrence.error());
    } else {
      done = co_await firing_.account(step);
    }
    if (!done && done.error().reason == "already_accounted") {
      done = co_await firing_.pass_over(std::move(step));
    }
    // Somebody changed the trigger, or decided first: it is read again.
    if (!done && done.error().code != ErrorCode::unavailable) co_return true;
    if (!done) {
      log::warn("trigger {} waits: {}", trigger.name, done.error().message);
      co_return false;
    }
  }
  co_return true;
}

}  // namespace drover::triggers
