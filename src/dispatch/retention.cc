#include "dispatch/retention.h"

#include <algorithm>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>

#include "base/crash_point.h"
#include "log/log.h"

namespace drover::dispatch {
namespace {

constexpr size_t kPage = 200;  // Small, so that pruning never delays other work for long.

asio::awaitable<Result<size_t>> remove_all(Result<std::vector<run::Record>> victims,
                                           RunDispatcher& dispatcher) {
  if (!victims) co_return std::unexpected(victims.error());
  for (const run::Record& record : *victims) {
    if (auto removed = co_await dispatcher.remove(record.id); !removed) {
      co_return std::unexpected(removed.error());
    }
    crash_point("prune.one_gone");
  }
  co_return victims->size();
}

}  // namespace

asio::awaitable<Result<size_t>> prune(RetentionRule rule, const Clock& clock, store::Store& store,
                                      RunDispatcher& dispatcher) {
  size_t total = 0;
  if (rule.age_max_ms > 0) {
    auto old = co_await remove_all(store.list({.kinds = dispatcher.kinds(),
                                               .finished_before = clock.wall_ms() - rule.age_max_ms,
                                               .oldest_first = true,
                                               .limit = kPage}),
                                   dispatcher);
    if (!old) co_return old;
    total += *old;
  }
  if (rule.count_max > 0) {
    auto crowded = store.crowded_scopes(rule.count_max);
    if (!crowded) co_return std::unexpected(crowded.error());
    for (const auto& [scope, count] : *crowded) {
      const auto surplus = static_cast<size_t>(count - rule.count_max);
      auto surplus_removed = co_await remove_all(store.list({.finished_only = true,
                                                             .scope = scope,
                                                             .scope_alone = true,
                                                             .kinds = dispatcher.kinds(),
                                                             .oldest_first = true,
                                                             .limit = std::min(surplus, kPage)}),
                                                 dispatcher);
      if (!surplus_removed) co_return surplus_removed;
      total += *surplus_removed;
    }
  }
  co_return total;
}

asio::awaitable<void> keep_pruning(RetentionRule rule, const Clock& clock, store::Store& store,
                                   RunDispatcher& dispatcher) {
  asio::steady_timer timer(co_await asio::this_coro::executor);
  while (true) {
    timer.expires_after(rule.every);
    co_await timer.async_wait(asio::use_awaitable);
    auto pruned = co_await prune(rule, clock, store, dispatcher);
    while (pruned && *pruned > 0) pruned = co_await prune(rule, clock, store, dispatcher);
    if (!pruned) log::warn("retention: {}", pruned.error().message);
  }
}

}  // namespace drover::dispatch
