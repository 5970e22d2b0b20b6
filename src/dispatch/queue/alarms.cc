#include "dispatch/queue/alarms.h"

#include <algorithm>
#include <chrono>
#include <iterator>

#include "base/limits.h"

namespace drover::dispatch {
namespace {

// The wall clock may be set forward while the timer sleeps: look now and then.
constexpr std::int64_t kLookAgainMs = 60'000;

}  // namespace

void Alarms::set(const RunId& id, WallMs at) {
  const bool first = alarms_.empty() || at < alarms_.begin()->first;
  alarms_.emplace(at, id);
  if (first) arm();
}

void Alarms::arm() {
  const std::int64_t left = alarms_.begin()->first - clock_.wall_ms();
  timer_.expires_after(std::chrono::milliseconds(std::clamp<std::int64_t>(left, 0, kLookAgainMs)));
  timer_.async_wait([this](boost::system::error_code canceled) {
    if (!canceled) ring();
  });
}

void Alarms::ring() {
  const WallMs now = clock_.wall_ms();
  // No alarm is set that far ahead: the clock was set back, and the alarm would be late by as much.
  while (!alarms_.empty() && alarms_.rbegin()->first > now + 2 * limits::kBackoffMaxMs) {
    const auto last = std::prev(alarms_.end());
    const RunId id = last->second;
    alarms_.erase(last);
    due_(id);
  }
  while (!alarms_.empty() && alarms_.begin()->first <= now) {
    const RunId id = alarms_.begin()->second;
    alarms_.erase(alarms_.begin());
    due_(id);
  }
  if (!alarms_.empty()) arm();
}

}  // namespace drover::dispatch
