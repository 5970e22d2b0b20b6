#include "dispatch/files/retention.h"

#include <algorithm>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>

#include "base/crash_point.h"
#include "dispatch/files/in_use.h"
#include "dispatch/files/removal.h"
#include "log/log.h"

namespace drover::dispatch {
namespace {

constexpr size_t kPage = 200;  // Small, so that pruning never delays other work for long.
// If all the oldest runs are in use, a round looks at newer ones, but at no more than this.
constexpr size_t kLookedAtMax = 64 * kPage;

// Retention waits its turn like any client: a store with millions of runs takes a while to count.
work::Caller caller() {
  return {.name = "retention"};
}

}  // namespace

asio::awaitable<Result<std::vector<run::Record>>> Retention::find_unused(store::Query query,
                                                                         size_t most) {
  InUse in_use(reads_, bell_, dispatcher_, page_readers_);
  most = std::min(most, kLookedAtMax);
  query.oldest_first = true;
  for (query.limit = std::min(kPage, most);; query.limit = std::min(query.limit * 4, most)) {
    auto found =
        co_await reads_.ask(caller(), [query](store::Reads& store) { return store.list(query); });
    if (!found) co_return found;
    const bool is_all = found->size() < query.limit || query.limit == most;
    co_await in_use.look_up(*found);
    std::erase_if(*found, [&](const run::Record& record) {
      return stuck_.contains(record.id) || in_use.has(record);
    });
    if (found->empty() && !is_all) continue;
    if (found->size() > kPage) found->resize(kPage);
    co_return found;
  }
}

asio::awaitable<Result<size_t>> Retention::remove(Result<std::vector<run::Record>> unused) {
  if (!unused) co_return std::unexpected(unused.error());
  InUse in_use(reads_, bell_, dispatcher_, page_readers_);
  co_await in_use.look_up(*unused);
  size_t removed = 0;
  for (const run::Record& record : *unused) {
    // Somebody may have begun to read it while the runs before it were removed. Its files are moved
    // before anything else happens.
    if (in_use.has(record)) continue;
    if (auto done = co_await dispatcher_.remove(record); !done) {
      const Error& error = done.error();
      // Somebody has deleted it meanwhile.
      if (error.code == ErrorCode::not_found) continue;
      // The store fails for all runs. Anything else is about this run alone.
      if (error.code == ErrorCode::unavailable && error.reason != kFilesStuck) {
        co_return std::unexpected(error);
      }
      set_aside(record.id, error);
      continue;
    }
    ++removed;
    crash_point("prune.one_gone");
  }
  co_return removed;
}

void Retention::set_aside(const RunId& id, const Error& error) {
  stuck_.insert(id);
  if (reported_.size() >= kLookedAtMax) reported_.clear();
  if (reported_.insert(id).second) log::warn(id, "retention keeps it: {}", error.message);
}

asio::awaitable<Result<size_t>> Retention::prune(const Clock& clock) {
  size_t total = 0;
  if (rule_.age_max_ms > 0) {
    const store::Query too_old{.kinds = dispatcher_.kinds(),
                               .finished_before = clock.wall_ms() - rule_.age_max_ms};
    auto old = co_await remove(co_await find_unused(too_old, kLookedAtMax));
    if (!old) co_return old;
    total += *old;
  }
  if (rule_.count_max > 0) {
    const auto crowded = co_await reads_.ask(
        caller(),
        [most = rule_.count_max](store::Reads& store) { return store.crowded_scopes(most); });
    if (!crowded) co_return std::unexpected(crowded.error());
    for (const auto& [scope, count] : *crowded) {
      const store::Query finished{
          .finished_only = true, .scope = scope, .scope_alone = true, .kinds = dispatcher_.kinds()};
      const auto surplus = static_cast<size_t>(count - rule_.count_max);
      auto pruned = co_await remove(co_await find_unused(finished, surplus));
      if (!pruned) co_return pruned;
      total += *pruned;
    }
  }
  co_return total;
}

asio::awaitable<void> Retention::keep_pruning(const Clock& clock) {
  asio::steady_timer timer(co_await asio::this_coro::executor);
  while (true) {
    timer.expires_after(rule_.every);
    co_await timer.async_wait(asio::use_awaitable);
    stuck_.clear();
    auto pruned = co_await prune(clock);
    while (pruned && *pruned > 0) pruned = co_await prune(clock);
    if (!pruned) log::warn("retention: {}", pruned.error().message);
  }
}

}  // namespace drover::dispatch
