// An event reaches a trigger: inside a transaction, it becomes one occurrence of the trigger's
// ledger. The occurrence is `pending` if the event shall start a run; it is `skipped` if the
// trigger is paused, a rule of its filter does not hold, the event repeats another one, or a loop
// was found.
#pragma once

#include "store/transaction.h"
#include "triggers/events/event_index.h"

namespace drover::triggers {

// The same event again changes nothing, and neither does an event for a trigger that was removed.
Result<> accept_event(store::Transaction& transaction, const WantedBy& wanted,
                      const EventEnvelope& event);

}  // namespace drover::triggers
