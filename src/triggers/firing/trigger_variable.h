// DROVER_TRIGGER says why a run was started: a JSON object with the trigger's name and the due time
// or the event. A large event is in a file instead, which DROVER_TRIGGER_FILE names; the variable
// then contains everything but the payload. No shell interprets any of it.
//
//   {"trigger":"nightly","source":"cron","slot":"2026-11-18T03:00:00.000Z","due_at":"…"}
//   {"trigger":"deploy","source":"webhook","event":{"id":"evt_…","type":"webhook","payload":…}}
#pragma once

#include <boost/json/object.hpp>
#include <string>

#include "base/home.h"
#include "triggers/definition/environment_file.h"
#include "triggers/definition/stored_trigger.h"
#include "triggers/ledger/occurrence.h"

namespace drover::triggers {

// The object, before a large event is moved to a file. `event` is the whole event; the occurrence
// may contain less.
boost::json::object trigger_object(const StoredTrigger& trigger, const Occurrence& occurrence,
                                   const std::string& event);
// Whether such a text is too large: then DROVER_TRIGGER_FILE names a file with the event.
bool needs_file(const std::string& text);

// `event` is the whole event. Writes a file if it is large.
Result<> set_trigger_variable(const Home& home, const StoredTrigger& trigger,
                              const Occurrence& occurrence, const std::string& event,
                              Variables& variables);

}  // namespace drover::triggers
