// A Trial is what a time or an event would do: the answer of `drover trigger test`. It makes the
// checks that the daemon makes before it starts a run, each with its result, and shows the run that
// would start. It starts nothing and writes nothing: not the event, no occurrence of the ledger, no
// dedup window.
//
// The checks are about now: a run that is active now may have finished when the time is due.
#pragma once

#include <boost/json/value.hpp>
#include <optional>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/result.h"
#include "store/reads.h"
#include "triggers/definition/spec.h"
#include "triggers/definition/stored_trigger.h"
#include "triggers/ledger/occurrence.h"

namespace drover::triggers {

struct TrialRequest {
  std::optional<WallMs> at = {};  // Of a schedule; not set: its next due time.
  // Of an event. Not set: the type of the trigger's events; a null payload; no key.
  std::optional<std::string> type = {};
  std::optional<std::string> payload = {};  // JSON text.
  std::optional<std::string> dedup_key = {};
};

struct Check {
  std::string
      name;  // "due", "type", "pause", "filter", "dedup", "ledger", "backoff", "overlap", "lane"
  bool passes = true;
  std::string text;                              // A clause for people: "the trigger is paused".
  std::optional<WallMs> until = {};              // Of a backoff that does not pass.
  std::optional<boost::json::value> value = {};  // Of a filter: the field of the event.
};

struct Trial {
  StoredTrigger trigger;
  TriggerSpec spec;
  Occurrence occurrence;           // The time or the event.
  std::string event = {};          // As JSON; empty: a time.
  std::vector<Check> checks = {};  // In the order in which the daemon makes them.
  // If the time is not due: the nearest ones that are.
  std::optional<WallMs> due_before = {};
  std::optional<WallMs> due_after = {};

  // The first check that does not pass. Null: the run would be submitted.
  const Check* obstacle() const;
};

// Errors name the field: `at` for a trigger on events, `payload` for one with a schedule, a `type`
// that the trigger's source cannot have, or is missing; invalid events.
Result<Trial> try_out(store::Reads& store, const std::string& name, const TrialRequest& request,
                      WallMs now);

}  // namespace drover::triggers
