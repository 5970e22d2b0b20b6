// An accepted event is an occurrence in the ledger of one trigger. `accept_event` decides what it
// becomes, inside a transaction: `pending` if a run shall start, or `skipped` with the reason. It
// is skipped if the trigger is paused, its filter refuses the event, the event repeats an earlier
// one (dedup.h), or the loop guard finds a loop (loop_guard.h). A loop has no occurrence at all
// where `WantedBy::drops_loops` says so.
//
// Runs on the writer's thread, in a Work. It starts no run: pending_firings.h does.
#pragma once

#include "store/transaction.h"
#include "triggers/events/event_index.h"

namespace drover::triggers {

// The same event again changes nothing, and neither does an event for a trigger that was removed.
Result<> accept_event(store::Transaction& transaction, const WantedBy& wanted,
                      const EventEnvelope& event);

}  // namespace drover::triggers
