#include "triggers/poll/poll_plan.h"

#include <algorithm>

#include "base/fnv.h"
#include "triggers/poll/limits.h"

namespace drover::triggers {
namespace {

std::int64_t interval_of(const PollPlan& plan) {
  return std::clamp(plan.interval_ms.value_or(kPollIntervalDefaultMs), kPollIntervalMinMs,
                    kPollIntervalMaxMs);
}

std::int64_t server_pause(std::optional<std::int64_t> ms) {
  return std::clamp<std::int64_t>(ms.value_or(0), 0, kServerPauseMaxMs);
}

std::int64_t jitter_max(std::int64_t wait_ms) {
  return std::min(wait_ms / 10, kPollJitterMaxMs);
}

WallMs later(const PollPlan& plan, WallMs now, std::int64_t wait_ms) {
  const std::uint64_t mixed =
      fnv_add(fnv_add(kFnvBegin, plan.seed), static_cast<std::uint64_t>(now));
  // The low bits of FNV are weak.
  const auto range = static_cast<std::uint64_t>(jitter_max(wait_ms)) + 1;
  return now + wait_ms + static_cast<std::int64_t>((mixed >> 16) % range);
}

std::int64_t backoff(std::int64_t interval_ms, int errors) {
  const std::int64_t most = std::max(interval_ms, kPollBackoffMaxMs);
  std::int64_t wait = interval_ms;
  for (int i = 0; i < errors && wait < most; ++i) wait *= 2;
  return std::min(wait, most);
}

}  // namespace

Result<> check_poll_interval(std::int64_t interval_ms) {
  if (interval_ms >= kPollIntervalMinMs && interval_ms <= kPollIntervalMaxMs) return {};
  return fail_invalid("interval", "the interval of polls must be between " +
                                      format_duration(kPollIntervalMinMs) + " and " +
                                      format_duration(kPollIntervalMaxMs) + ", not " +
                                      format_duration(interval_ms));
}

PollState after_poll(PollState state, const PollPlan& plan, WallMs now,
                     std::optional<std::int64_t> ttl_ms) {
  std::int64_t wait = interval_of(plan);
  if (!plan.interval_ms) wait = std::max(wait, server_pause(ttl_ms));
  state.errors = 0;
  state.error.clear();
  state.next_at = later(plan, now, wait);
  return state;
}

PollState after_error(PollState state, const PollPlan& plan, WallMs now,
                      std::optional<std::int64_t> retry_after_ms) {
  state.errors = std::clamp(state.errors, 0, kPollErrorsMax - 1) + 1;
  const std::int64_t wait =
      std::max(backoff(interval_of(plan), state.errors), server_pause(retry_after_ms));
  state.next_at = later(plan, now, wait);
  return state;
}

WallMs next_poll(const PollState& state, const PollPlan& plan, WallMs now) {
  const std::int64_t longest = std::max({interval_of(plan), kPollBackoffMaxMs, kServerPauseMaxMs});
  return std::min(state.next_at, now + longest + jitter_max(longest));
}

}  // namespace drover::triggers
