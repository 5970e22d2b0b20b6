#include "triggers/time/timetable.h"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <utility>

#include "base/background.h"
#include "log/log.h"
#include "triggers/firing/firing_steps.h"
#include "triggers/limits.h"
#include "triggers/poll/limits.h"

namespace drover::triggers {

struct Timetable::Shared {
  explicit Shared(const asio::any_io_executor& loop) : bell(loop), page(loop) {}

  std::unique_ptr<WallTimer> timer;
  asio::steady_timer bell;  // Canceled to wake `wait`.
  asio::steady_timer page;  // Canceled when the last firing of a page has ended.
  bool rung = false;
  bool closed = false;
  size_t firing = 0;
  bool failed = false;
};

Timetable::Timetable(asio::any_io_executor loop, const Clock& clock, store::ReadPool& reads,
                     Firing& firing, Poller& poller, std::unique_ptr<WallTimer> timer)
    : loop_(std::move(loop)),
      clock_(clock),
      began_(clock.wall_ms()),
      reads_(reads),
      firing_(firing),
      poller_(poller),
      changes_(clock, reads, firing.recorder()),
      shared_(std::make_shared<Shared>(loop_)) {
  shared_->timer = std::move(timer);
}

Timetable::~Timetable() {
  shared_->closed = true;
  shared_->timer->cancel();
  shared_->bell.cancel();
  shared_->page.cancel();
}

void Timetable::begin() {
  asio::co_spawn(loop_, keep_firing(shared_), in_background);
}

void Timetable::wake() {
  shared_->rung = true;
  shared_->bell.cancel();
}

asio::awaitable<void> Timetable::keep_firing(std::shared_ptr<Shared> shared) {
  while (!shared->closed) {
    shared->rung = false;
    const auto changed = co_await changes_.check();
    if (shared->closed) co_return;
    if (!changed || !co_await fire_due(shared)) {
      if (shared->closed) co_return;
      co_await wait(shared, clock_.wall_ms() + kStoreRetryMs);
      continue;
    }
    if (shared->closed) co_return;
    if (shared->rung) continue;
    const auto next = co_await reads_.ask(store::daemon_itself(),
                                          [](store::Reads& store) { return next_wake(store); });
    if (shared->closed) co_return;
    if (!next) {
      co_await wait(shared, clock_.wall_ms() + kStoreRetryMs);
    } else if (!*next || **next > clock_.wall_ms()) {
      co_await wait(shared,
                    std::min(next->value_or(changes_.next_check_at()), changes_.next_check_at()));
    }
  }
}

// Until that time, or until somebody calls wake().
asio::awaitable<void> Timetable::wait(std::shared_ptr<Shared> shared, std::optional<WallMs> until) {
  if (shared->rung) co_return;
  shared->bell.expires_at(asio::steady_timer::time_point::max());
  if (until) {
    shared->timer->wake_at(*until, [shared] { shared->bell.cancel(); });
  }
  boost::system::error_code woken;
  co_await shared->bell.async_wait(asio::redirect_error(asio::use_awaitable, woken));
  shared->timer->cancel();
}

asio::awaitable<bool> Timetable::fire_due(std::shared_ptr<Shared> shared) {
  for (;;) {
    auto due =
        co_await reads_.ask(store::daemon_itself(), [now = clock_.wall_ms()](store::Reads& store) {
          return due_triggers(store, now, kFiringsAtOnce);
        });
    if (shared->closed || !due) co_return false;
    if (due->empty()) co_return true;
    shared->firing = due->size();
    shared->failed = false;
    for (StoredTrigger& trigger : *due) {
      asio::co_spawn(loop_, fire_one(std::move(trigger)),
                     [shared](std::exception_ptr bug, bool fired) {
                       if (bug) std::rethrow_exception(bug);
                       shared->failed |= !fired;
                       if (--shared->firing == 0) shared->page.cancel();
                     });
    }
    while (shared->firing > 0 && !shared->closed) {
      shared->page.expires_at(asio::steady_timer::time_point::max());
      boost::system::error_code woken;
      co_await shared->page.async_wait(asio::redirect_error(asio::use_awaitable, woken));
    }
    if (shared->closed || shared->failed) co_return false;
  }
}

asio::awaitable<void> Timetable::poll_one(std::shared_ptr<Shared> shared, StoredTrigger trigger,
                                          TriggerSpec spec) {
  const std::string name = trigger.name;
  const auto polled = co_await poller_.poll(std::move(trigger), std::move(spec));
  if (shared->closed) co_return;
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
