// Due is the decision about the slots of one trigger that have passed: which of them start a run,
// and what becomes of the others. Pure: the same input gives the same decisions, so a decision that
// was not committed can be made again.
//
// Every slot is decided exactly once, in order. `next` is the earliest slot without a decision; it
// only increases, so a clock that is set back decides nothing twice, and a machine that slept
// simply passes a late `now`. A slot is due at slot + jitter, where the jitter is fixed for (seed,
// slot) and ends before the following slot. Later than 60 s after that (limits.h says why) the slot
// is *late*, and the missed policy decides:
//
//   slot                  policy    outcome    reason
//   before backoff_until  any       skip       backoff
//   not late              any       fire       on_time
//   late, the latest one  once      fire       caught_up
//   late, earlier         once      coalesce   covered_by_later   (into the one that caught up)
//   late                  skip      miss       policy_skip
//   late, in the window   all       fire       caught_up          (at most 1,000, the latest)
//   late, in the window   all       miss       too_many           (those before the 1,000)
//   late, older           all       miss       outside_window
//
// `next` may lie between two slots, for example because the tz database changed: the decision
// begins at the first slot at or after it. After a change of the database `next` is set to the
// first slot after the latest decided one (time_changes.h), since a slot may also have moved to an
// earlier time.
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
enum class SlotOutcome { fire, skip, coalesce, miss };

struct DueInput {
  WallMs next = 0;
  WallMs now = 0;
  MissedPolicy missed = MissedPolicy::once;
  std::int64_t window_ms = kMissedWindowMs;  // For `all`: how old a slot may be, from now.
  std::int64_t jitter_ms = 0;
  std::uint64_t seed = 0;    // Of the trigger, so that triggers with one schedule spread.
  WallMs backoff_until = 0;  // After errors (triggers/time/backoff.h).
};

struct SlotDecision {
  WallMs slot = 0;
  SlotOutcome outcome = SlotOutcome::fire;
  std::string_view reason = {};  // A literal.
  WallMs due_at = 0;             // The slot and its jitter.

  bool operator==(const SlotDecision&) const = default;
};

// Successive slots with one outcome.
struct SlotRange {
  WallMs first = 0;
  WallMs last = 0;
  std::int64_t count = 0;
  SlotOutcome outcome = SlotOutcome::miss;
  std::string_view reason;

  bool operator==(const SlotRange&) const = default;
};

struct DueDecision {
  std::vector<SlotRange> older;     // Before `slots`, in order; empty unless there are over 1,000.
  std::vector<SlotDecision> slots;  // In order, at most 1,000.
  std::optional<WallMs> next;       // To store; nullopt: the schedule has no slot left.
  std::optional<WallMs> wake_at;    // When to decide again: `next` and its jitter.
};

DueDecision decide_due(const Schedule& schedule, const DueInput& input);

// When a slot is due: the slot and its jitter, which ends before the following slot.
WallMs due_time(const Schedule& schedule, WallMs slot, std::int64_t jitter_ms, std::uint64_t seed);

// 0 to `most_ms`, evenly spread over seeds and slots.
std::int64_t jitter_of(std::uint64_t seed, WallMs slot, std::int64_t most_ms);

}  // namespace drover::triggers
