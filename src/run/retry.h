// A Retry says what happens when a run does not succeed (R17): up to so many further attempts, each
// after a pause that doubles. Each attempt is a run of its own; together they are a *chain*, named
// by the id of the first. Pure: whether there is another attempt is decided here, and recorded in
// the transaction that records how the previous one finished.
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
  std::vector<State> on;  // Finished states to retry; empty: failed and timed_out.

  // Whether a finish in this state is to be retried, as long as attempts are left.
  bool covers(State state) const;
  friend bool operator==(const Retry&, const Retry&) = default;
};

// Whether a run that finished in this state may be retried. Success and cancellation never are.
constexpr bool is_retriable_state(State state) {
  return state == State::failed || state == State::timed_out || state == State::abandoned;
}

// Whether a run would be retried if it failed: if so, its file must keep its environment.
bool keeps_environment(const Record& record);

// Whether another attempt follows. Never after a recorded cancel, and never after a restart of the
// daemon if the run asked not to be restarted.
bool has_next_attempt(const Record& ended);

// The pause before attempt `attempt` (2, 3 …). It doubles up to a limit and is shortened by up to
// half at random, so that runs that failed together do not start together again. The randomness
// comes from the next run's id: the same arguments give the same pause.
std::int64_t pause_before(const Retry& retry, int attempt, const RunId& next);

// The record of the attempt that follows `ended`.
Record next_attempt(const Record& ended, const RunId& id, WallMs now);

}  // namespace drover::run
