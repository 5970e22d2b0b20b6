// A Retry is what somebody wants to happen when a run does not succeed (R17): another attempt, up
// to so often, after a pause that doubles each time. Each attempt is a run of its own; the first
// one's id names them all, the *chain*. Pure: whether there is another attempt is decided here and
// written by the transaction that writes the end of the one before.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/id.h"
#include "base/limits.h"
#include "run/life.h"

namespace drover::run {

struct Record;

struct Retry {
  int max = 0;  // Attempts after the first; 0: none.
  std::int64_t backoff_ms = limits::kBackoffMs;
  std::vector<State> on;  // Only ends that a retry may answer; empty: failed and timed_out.

  bool answers(State state) const;
  friend bool operator==(const Retry&, const Retry&) = default;
};

// Whether a run that ended so may be tried again. Nobody repeats what succeeded or was canceled.
constexpr bool can_be_retried(State state) {
  return state == State::failed || state == State::timed_out || state == State::abandoned;
}

// Whether a run that may still fail would be tried again: its file must keep its environment.
bool may_come_again(const Record& record);

// Whether this end is answered by another attempt. A cancel on record fences the chain for good,
// and so does a daemon's restart for a run that asked not to be begun after one.
bool comes_again(const Record& ended);

// The pause before attempt `attempt` (2, 3 …): twice as long each time up to a limit, and between
// half of that and all of it by chance, so that many that failed together do not come together.
// The chance is the next run's id: asking again gives the same answer.
std::int64_t pause_before(const Retry& retry, int attempt, const RunId& next);

// The record of the attempt that follows `ended`.
Record next_attempt(const Record& ended, const RunId& id, WallMs now);

}  // namespace drover::run
