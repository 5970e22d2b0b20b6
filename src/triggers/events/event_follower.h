// The event followers read the log and bring its events to the triggers that wait for them:
// finished runs, events of rooms, and events that programs post (`drover emit`). For each trigger
// that wants an event they add an occurrence to the ledger (accept_event.h), in one commit with
// their cursor. An event that concerns many triggers takes several commits, the last with the
// cursor; after a crash in between, accepting it again changes nothing.
//
// An event that a filter refuses has a skipped occurrence, except for two kinds: finished runs,
// which are too many, and events of triggers, because each occurrence is such an event. Of the
// latter only `trigger.fired` has an occurrence if it is a loop.
//
// They run on the daemon's loop (follow/followers.h), their Works on the writer's thread. They
// start no run.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "follow/follower.h"
#include "triggers/events/event_index.h"

namespace drover::triggers {

// The events of runs that reach triggers.
inline constexpr std::array<std::string_view, 5> kFinishedRunTypes{
    "run.completed", "run.failed", "run.canceled", "run.timed_out", "run.abandoned"};

// For each of the followers, the last event about which it has decided, with an occurrence or
// without one. Events without an occurrence are read again by the next daemon (follow/followers.h);
// by then a trigger may have been added or changed that would want them.
using DecidedEvents = std::map<std::string, std::int64_t>;

// A part of the Work that adds or changes a trigger: moves the stored cursors behind all events
// that were decided before, so that they never reach it.
Result<> keep_decisions(store::Transaction& transaction, const DecidedEvents& decided);

// `index` and `decided` must outlive them.
std::vector<follow::Follower> event_followers(const EventIndex& index, DecidedEvents& decided);

// The triggers that led to a run: those of the run itself, or of the run that started it.
Result<TriggerChain> chain_of(store::Transaction& transaction, std::string run_id);

// An event of the log as triggers see it. Empty: triggers cannot wait for it.
std::optional<EventEnvelope> envelope_of(const run::Event& event);

}  // namespace drover::triggers
