#include "inbox/deadlines.h"

#include <boost/asio/co_spawn.hpp>

#include "base/background.h"
#include "base/crash_point.h"
#include "inbox/changes.h"
#include "inbox/limits.h"
#include "inbox/stored_entry.h"
#include "log/log.h"
#include "work/wakeup.h"

namespace drover::inbox {

struct Deadlines::Shared {
  Shared(const asio::any_io_executor& loop, std::unique_ptr<work::WallTimer> timer)
      : wakeup(loop, std::move(timer)) {}

  work::Wakeup wakeup;
};

Deadlines::Deadlines(asio::any_io_executor loop, const Clock& clock, store::ReadPool& reads,
                     spine::Recorder record, std::unique_ptr<work::WallTimer> timer)
    : loop_(std::move(loop)),
      clock_(clock),
      reads_(reads),
      record_(std::move(record)),
      shared_(std::make_shared<Shared>(loop_, std::move(timer))) {}

Deadlines::~Deadlines() {
  shared_->wakeup.close();
}

void Deadlines::begin() {
  asio::co_spawn(loop_, keep_expiring(shared_), in_background);
}

void Deadlines::wake() {
  shared_->wakeup.wake();
}

asio::awaitable<void> Deadlines::keep_expiring(std::shared_ptr<Shared> shared) {
  work::Wakeup& wakeup = shared->wakeup;
  while (!wakeup.is_closed()) {
    if (!co_await expire_due(shared)) {
      if (wakeup.is_closed()) co_return;
      co_await wakeup.wait_until(clock_.wall_ms() + kStoreRetryMs);
      continue;
    }
    const auto next = co_await reads_.ask(store::daemon_itself(),
                                          [](store::Reads& store) { return next_deadline(store); });
    if (wakeup.is_closed()) co_return;
    if (!next) {
      co_await wakeup.wait_until(clock_.wall_ms() + kStoreRetryMs);
    } else if (!*next || **next > clock_.wall_ms()) {
      co_await wakeup.wait_until(*next);
    }
  }
}

asio::awaitable<bool> Deadlines::expire_due(std::shared_ptr<Shared> shared) {
  for (;;) {
    const auto due =
        co_await reads_.ask(store::daemon_itself(), [now = clock_.wall_ms()](store::Reads& store) {
          return due_questions(store, now, kRowsAtOnce);
        });
    if (shared->wakeup.is_closed() || !due) co_return false;
    if (due->empty()) co_return true;
    crash_point("inbox.to_expire");
    for (const Entry& question : *due) {
      const auto expired =
          co_await record_(store::Work([id = question.id](store::Transaction& transaction) {
            return close_question(transaction, id, Happening::expiry, {}, "");
          }));
      if (shared->wakeup.is_closed()) co_return false;
      if (!expired) {  // Perhaps it was answered in the last moment; then it is not due any more.
        log::warn("question {} has not expired: {}", question.id, expired.error().message);
        co_return false;
      }
      crash_point("inbox.expired");
    }
  }
}

}  // namespace drover::inbox
