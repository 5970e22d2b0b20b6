// Writes triggers and the occurrences of their ledger as the JSON of answers.
#pragma once

#include <boost/json/object.hpp>

#include "base/home.h"
#include "run/record.h"
#include "store/reads.h"
#include "triggers/definition/spec.h"
#include "triggers/definition/stored_trigger.h"
#include "triggers/ledger/occurrence.h"

namespace drover::api {

boost::json::object view_of(const triggers::Occurrence& occurrence);

// Adds how a trigger stands: its state, its schedule in words, its next due time, pause and
// backoff.
void add_standing(boost::json::object& out, const triggers::StoredTrigger& trigger,
                  const triggers::TriggerSpec& spec, WallMs now);

// The fields of a trigger and the names of its variables. Secrets in its command are not shown.
boost::json::object shown_fields(const Home& home, triggers::TriggerSpec spec);

// The id and state of a run.
boost::json::object brief_of(const run::Record& record);

// With its totals and its latest occurrence. Secrets in its command are not shown.
Result<boost::json::object> view_of(store::Reads& store, const Home& home,
                                    const triggers::StoredTrigger& trigger, WallMs now);

}  // namespace drover::api
