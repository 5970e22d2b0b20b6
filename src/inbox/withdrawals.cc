#include "inbox/withdrawals.h"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <chrono>
#include <unordered_set>

#include "base/background.h"
#include "inbox/limits.h"
#include "inbox/stored_entry.h"
#include "log/log.h"

namespace drover::inbox {

using std::chrono::steady_clock;

struct Withdrawals::Shared {
  std::unordered_set<RunId> watched;
  bool closed = false;
};

Withdrawals::Withdrawals(asio::any_io_executor loop, bus::Bell& bell, store::ReadPool& reads,
                         Inbox& inbox)
    : loop_(std::move(loop)),
      bell_(bell),
      reads_(reads),
      inbox_(inbox),
      shared_(std::make_shared<Shared>()) {}

Withdrawals::~Withdrawals() {
  shared_->closed = true;
}

void Withdrawals::begin() {
  asio::co_spawn(loop_, watch_all(shared_), in_background);
}

void Withdrawals::see(const Entry& question) {
  const auto run = RunId::parse(question.run_id);
  if (!run || !question.waits || !question.is_open()) return;
  if (!shared_->watched.insert(*run).second) return;
  asio::co_spawn(loop_, watch(shared_, *run), in_background);
}

asio::awaitable<void> Withdrawals::watch_all(std::shared_ptr<Shared> shared) {
  const auto open = co_await reads_.ask(
      store::daemon_itself(), [](store::Reads& store) { return waiting_questions(store, ""); });
  if (shared->closed) co_return;
  if (!open) {
    log::warn("the questions of finished runs stay open: {}", open.error().message);
    co_return;
  }
  for (const Entry& question : *open) see(question);
}

asio::awaitable<void> Withdrawals::await_end(std::shared_ptr<Shared> shared, RunId run) {
  bus::Subscription subscription(bell_, loop_, {.run = run, .scope = {}}, bell_.last_seq());
  while (!shared->closed) {
    const auto record = co_await reads_.ask(store::daemon_itself(),
                                            [run](store::Reads& store) { return store.find(run); });
    if (shared->closed) co_return;
    if (record && (!*record || !run::is_active((*record)->state))) co_return;
    // Not readable: look again in a moment.
    const auto until = record ? steady_clock::time_point::max()
                              : steady_clock::now() + std::chrono::milliseconds(kStoreRetryMs);
    (void)co_await subscription.next(until);
  }
}

asio::awaitable<void> Withdrawals::watch(std::shared_ptr<Shared> shared, RunId run) {
  co_await await_end(shared, run);
  if (shared->closed) co_return;
  shared->watched.erase(run);  // A question that is asked from now on is seen again.
  const auto open = co_await reads_.ask(
      {}, [id = run.str()](store::Reads& store) { return waiting_questions(store, id); });
  if (shared->closed || !open) co_return;
  for (const Entry& question : *open) {
    const auto withdrawn = co_await inbox_.withdraw(question.id);
    if (shared->closed) co_return;
    if (!withdrawn && withdrawn.error().code == ErrorCode::unavailable) {
      log::warn("question {} of a finished run stays open: {}", question.id,
                withdrawn.error().message);
    }
  }
}

}  // namespace drover::inbox
