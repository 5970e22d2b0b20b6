#include "run/retry.h"

#include <algorithm>
#include <functional>

#include "run/record.h"

namespace drover::run {

bool Retry::covers(State state) const {
  if (on.empty()) return state == State::failed || state == State::timed_out;
  return std::ranges::find(on, state) != on.end();
}

bool keeps_environment(const Record& record) {
  return record.attempt <= record.retry.max && !record.cancel_requested;
}

bool has_next_attempt(const Record& ended) {
  if (!keeps_environment(ended) || !is_retriable_state(ended.state)) return false;
  const bool never_begun = ended.state == State::failed && ended.reason == Reason::host_restarted;
  return ended.retry.covers(ended.state) && !never_begun;
}

std::int64_t pause_before(const Retry& retry, int attempt, const RunId& next) {
  std::int64_t pause = std::min(retry.backoff_ms, limits::kBackoffMaxMs);
  for (int i = 2; i < attempt && pause < limits::kBackoffMaxMs; ++i) pause *= 2;
  pause = std::min(pause, limits::kBackoffMaxMs);
  const std::int64_t half = pause / 2;
  const auto random = static_cast<std::int64_t>(std::hash<RunId>{}(next) >> 1);
  return pause - half + (half == 0 ? 0 : random % (half + 1));
}

Record next_attempt(const Record& ended, const RunId& id, WallMs now) {
  Record next;
  next.id = id;
  next.trace_id = ended.trace_id;  // One trace for the whole chain.
  next.kind = ended.kind;
  next.scope = ended.scope;
  next.name = ended.name;
  next.command = ended.command;
  next.cwd = ended.cwd;
  next.labels = ended.labels;
  next.lane = ended.lane;
  next.priority = ended.priority;
  next.attempt = ended.attempt + 1;
  next.parent_run_id = ended.parent_run_id;
  next.on_restart = ended.on_restart;
  next.grace_ms = ended.grace_ms;
  next.retry = ended.retry;
  next.limits = ended.limits;
  next.limits_by = ended.limits_by;
  next.chain = ended.chain.empty() ? ended.id.str() : ended.chain;
  next.queued_at = now;
  const std::int64_t pause = pause_before(ended.retry, next.attempt, id);
  next.not_before = now + pause;
  next.held = pause > 0;
  return next;
}

}  // namespace drover::run
