// Due decides about the due times of one trigger that have passed: which of them start a run, and
// what becomes of the others. A due time is a time of the schedule (schedule.h). Pure: the same
// input gives the same decisions, so a decision that was not committed can be made again.
//
// Every due time is decided exactly once, in order. `next` is the earliest one without a decision;
// it only increases, so a clock that is set back decides nothing twice, and a machine that slept
// simply passes a late `now`. A due time waits for its jitter, which is fixed for (seed, due time)
// and ends before the following due time. Later than 60 s after that (limits.h says why) it is
// *late*, and the missed policy decides:
//
//   due time              policy    outcome    reason
//   before backoff_until  any       skip       backoff
//   not late              any       fire       on_time
//   late, the latest one  once      fire       caught_up
//   late, earlier         once      coalesce   covered_by_later   (into the one that caught up)
//   late                  skip      miss       policy_skip
//   late, in the window   all       fire       caught_up          (at most 1,000, the latest)
//   late, in the window   all       miss       too_many           (those before the 1,000)
//   late, older           all       miss       outside_window
//
// `next` may lie between two due times, for example because the tz database changed: the decision
// begins at the first due time at or after it. After a change of the database `next` is set to the
// first due time after the latest decided one (time_changes.h), since a due time may also have
// moved to an earlier time.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "triggers/time/limits.h"
#include "triggers/time/schedule.h"

namespace drover::triggers {

enum class MissedPolicy { once, skip, all };
enum class DueOutcome { fire, skip, coalesce, miss };

struct DueInput {
  WallMs next = 0;
  WallMs now = 0;
  MissedPolicy missed = MissedPolicy::once;
  std::int64_t window_ms = kMissedWindowMs;  // For `all`: how old a due time may be, from now.
  std::int64_t jitter_ms = 0;
  std::uint64_t seed = 0;    // Of the trigger, so that triggers with one schedule spread.
  WallMs backoff_until = 0;  // After errors (triggers/time/backoff.h).
};

struct DecidedTime {
  WallMs due_time = 0;
  DueOutcome outcome = DueOutcome::fire;
  std::string_view reason = {};  // A literal.
  WallMs due_at = 0;             // With its jitter.

  bool operator==(const DecidedTime&) const = default;
};

// Successive due times with one outcome.
struct DecidedRange {
  WallMs first = 0;
  WallMs last = 0;
  std::int64_t count = 0;
  DueOutcome outcome = DueOutcome::miss;
  std::string_view reason;

  bool operator==(const DecidedRange&) const = default;
};

struct DueDecision {
  std::vector<DecidedRange> older;     // Before `due_times`, in order; empty up to 1,000.
  std::vector<DecidedTime> due_times;  // In order, at most 1,000.
  std::optional<WallMs> next;          // To store; nullopt: the schedule has no due time left.
  std::optional<WallMs> wake_at;       // When to decide again: `next` and its jitter.
};

DueDecision decide_due(const Schedule& schedule, const DueInput& input);

// The due time with its jitter, which ends before the following due time.
WallMs with_jitter(const Schedule& schedule, WallMs due_time, std::int64_t jitter_ms,
                   std::uint64_t seed);

// 0 to `most_ms`, evenly spread over seeds and due times.
std::int64_t jitter_of(std::uint64_t seed, WallMs due_time, std::int64_t most_ms);

}  // namespace drover::triggers
