// The loop guard stops triggers that start each other, or themselves, without end. Each event
// carries its chain: the triggers whose runs led to it, the first one first. A trigger that fires
// gives its run the event's chain and its own name (`extend`); events that this run causes carry
// that chain. An event from outside has an empty chain.
//
// Some causes are hidden: a run that changes the files that its trigger watches, or the lane whose
// events start it. An event that may have such a cause (`may_be_echo`) is an echo if it happened
// while a run of this trigger was active or up to kEchoMs later. An echo may be a coincidence, so
// only a series of them counts as a loop. A run that calls the webhook of its trigger looks like
// any other sender; only the last rule stops it.
//
// Four rules, checked in this order, skip the event with a reason:
//   loop      the trigger is in the chain: the event was caused by a run of this trigger. It would
//             fire again and again, whether directly (A → A) or through others (A → B → A).
//   loop      the event is an echo, and so were the last kEchoesMax events on which it fired.
//   too_deep  the chain has reached kChainMax triggers.
//   too_fast  the trigger has fired too often: kCausedFiringsMax times in the last minute by echoes
//             and events with a chain, or kFiringsMax times in this minute by any event.
//
// The guard is pure: the caller counts firings from the ledger. Due times of a schedule are not
// events and never pass here.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "triggers/events/limits.h"

namespace drover::triggers {

using TriggerChain = std::vector<std::string>;

// Firings of one trigger by events in the last kFiringRateMs.
struct RecentFirings {
  std::int64_t caused = 0;    // Those by events of which `is_caused` was true.
  std::int64_t all = 0;       // Those since this minute began.
  std::int64_t in_a_row = 0;  // The latest ones that were echoes, at any time.
};

struct LoopLimits {
  size_t chain_max = kChainMax;
  std::int64_t caused_firings_max = kCausedFiringsMax;
  std::int64_t firings_max = kFiringsMax;
  std::int64_t echoes_max = kEchoesMax;
};

struct LoopFinding {
  std::string reason;   // `loop`, `too_deep`, `too_fast`.
  std::string message;  // For a person.
};

// Not set: the trigger may fire.
std::optional<LoopFinding> find_loop(std::span<const std::string> chain, std::string_view trigger,
                                     bool caused, const RecentFirings& recent,
                                     const LoopLimits& limits = {});

// The latest run of a trigger.
struct LatestRun {
  WallMs started_at = 0;
  std::optional<WallMs> finished_at;  // Not set: it is active.
};

// Whether a run may have caused the event without a trace: changed files, and Drover's own events
// of things that are not runs. `producer` and `chain` are those of the event.
bool may_be_echo(std::span<const std::string> chain, std::string_view producer);

// Whether runs of triggers caused the event: it has a chain; or it may be an echo, and happened
// during the trigger's latest run or up to kEchoMs later.
bool is_caused(std::span<const std::string> chain, bool may_be_echo, WallMs event_time,
               const std::optional<LatestRun>& latest);

// The chain of a run that `trigger` starts.
TriggerChain extend(TriggerChain chain, std::string_view trigger);

}  // namespace drover::triggers
