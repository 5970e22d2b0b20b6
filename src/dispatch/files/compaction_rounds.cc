#include "dispatch/files/compaction_rounds.h"

#include <algorithm>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <cmath>

#include "base/crash_point.h"
#include "log/log.h"

namespace drover::dispatch {
namespace {

// Longer than a step takes: most of the writer's time stays for others.
constexpr std::chrono::milliseconds kPause{10};
// A pass reads every key, so there are only 24 passes in the age of a key; a key may get 1/24 older
// than its age.
constexpr std::int64_t kKeyRoundsPerAge = 24;

}  // namespace

asio::awaitable<Result<>> CompactionRounds::compact(store::Compacts what, std::int64_t age_ms,
                                                    const Clock& clock) {
  asio::steady_timer pause(co_await asio::this_coro::executor);
  std::int64_t kept = 0;
  while (true) {
    const auto read = co_await read_by_all_();
    if (!read) co_return std::unexpected(read.error());
    const auto written = co_await record_(
        store::Compaction{.what = what, .before = clock.wall_ms() - age_ms, .through = *read});
    if (!written) co_return std::unexpected(written.error());
    if (written->compacted.removed > 0) crash_point("compact.step_done");
    kept += written->compacted.kept;
    if (!written->compacted.more) break;
    pause.expires_after(kPause);
    co_await pause.async_wait(asio::use_awaitable);
  }
  if (kept > 0) {
    log::warn("kept the events of {} removed runs: compaction would lose information", kept);
  }
  co_return Result<>{};
}

// A key must not outlive the evidence of its run.
std::int64_t CompactionRounds::keys_age_ms() const {
  if (rule_.keys_ms == 0 || rule_.evidence_ms == 0)
    return std::max(rule_.keys_ms, rule_.evidence_ms);
  return std::min(rule_.keys_ms, rule_.evidence_ms);
}

asio::awaitable<Result<>> CompactionRounds::compact(const Clock& clock) {
  Result<> done;
  if (rule_.events_ms > 0) {
    done = co_await compact(store::Compacts::removed_runs, rule_.events_ms, clock);
    if (done) done = co_await compact(store::Compacts::other_events, rule_.events_ms, clock);
  }
  const std::int64_t key_age = keys_age_ms();
  const WallMs now = clock.wall_ms();
  if (done && key_age > 0 && std::abs(now - keys_checked_at_) >= key_age / kKeyRoundsPerAge) {
    done = co_await compact(store::Compacts::keys, key_age, clock);
    if (done) keys_checked_at_ = now;
  }
  if (done && rule_.evidence_ms > 0) {
    done = co_await compact(store::Compacts::evidence, rule_.evidence_ms, clock);
  }
  co_return done;
}

asio::awaitable<void> CompactionRounds::keep_compacting(const Clock& clock) {
  asio::steady_timer timer(co_await asio::this_coro::executor);
  while (true) {
    timer.expires_after(rule_.every);
    co_await timer.async_wait(asio::use_awaitable);
    if (const auto done = co_await compact(clock); !done) {
      log::warn("compaction: {}", done.error().message);
    }
  }
}

}  // namespace drover::dispatch
