#include "inbox/deadlines.h"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>

#include "base/background.h"
#include "base/crash_point.h"
#include "inbox/changes.h"
#include "inbox/limits.h"
#include "inbox/stored_entry.h"
#include "log/log.h"

namespace drover::inbox {

struct Deadlines::Shared {
  explicit Shared(const asio::any_io_executor& loop) : bell(loop) {}

  std::unique_ptr<work::WallTimer> timer;
  asio::steady_timer bell;  // Canceled to wake `wait`.
  bool rung = false;
  bool closed = false;
};

Deadlines::Deadlines(asio::any_io_executor loop, const Clock& clock, store::ReadPool& reads,
                     spine::Recorder record, std::unique_ptr<work::WallTimer> timer)
    : loop_(std::move(loop)),
      clock_(clock),
      reads_(reads),
      record_(std::move(record)),
      shared_(std::make_shared<Shared>(loop_)) {
  shared_->timer = std::move(timer);
}

Deadlines::~Deadlines() {
  shared_->closed = true;
  shared_->timer->cancel();
  shared_->bell.cancel();
}

void Deadlines::begin() {
  asio::co_spawn(loop_, keep_expiring(shared_), in_background);
}

void Deadlines::wake() {
  shared_->rung = true;
  shared_->bell.cancel();
}

asio::awaitable<void> Deadlines::keep_expiring(std::shared_ptr<Shared> shared) {
  while (!shared->closed) {
    shared->rung = false;
    if (!co_await expire_due(shared)) {
      if (shared->closed) co_return;
      co_await wait(shared, clock_.wall_ms() + kStoreRetryMs);
      continue;
    }
    const auto next = co_await reads_.ask(store::daemon_itself(),
                                          [](store::Reads& store) { return next_deadline(store); });
    if (shared->closed) co_return;
    if (!next) {
      co_await wait(shared, clock_.wall_ms() + kStoreRetryMs);
    } else if (!*next || **next > clock_.wall_ms()) {
      co_await wait(shared, *next);
    }
  }
}

// Until that time, or until wake() is called.
asio::awaitable<void> Deadlines::wait(std::shared_ptr<Shared> shared, std::optional<WallMs> until) {
  if (shared->rung) co_return;
  shared->bell.expires_at(asio::steady_timer::time_point::max());
  if (until) shared->timer->wake_at(*until, [shared] { shared->bell.cancel(); });
  boost::system::error_code woken;
  co_await shared->bell.async_wait(asio::redirect_error(asio::use_awaitable, woken));
  shared->timer->cancel();
}

asio::awaitable<bool> Deadlines::expire_due(std::shared_ptr<Shared> shared) {
  for (;;) {
    const auto due =
        co_await reads_.ask(store::daemon_itself(), [now = clock_.wall_ms()](store::Reads& store) {
          return due_questions(store, now, kRowsAtOnce);
        });
    if (shared->closed || !due) co_return false;
    if (due->empty()) co_return true;
    crash_point("inbox.to_expire");
    for (const Entry& question : *due) {
      const auto expired =
          co_await record_(store::Work([id = question.id](store::Transaction& transaction) {
            return close_question(transaction, id, Happening::expiry, {}, "");
          }));
      if (shared->closed) co_return false;
      if (!expired) {  // Perhaps it was answered in the last moment; then it is not due any more.
        log::warn("question {} has not expired: {}", question.id, expired.error().message);
        co_return false;
      }
      crash_point("inbox.expired");
    }
  }
}

}  // namespace drover::inbox
