// Writes triggers and the occurrences of their ledger as the JSON of answers.
#pragma once

#include <boost/json/object.hpp>
#include <map>
#include <string>

#include "api/services.h"
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

// The warnings of watches, by trigger (FileTriggers::warnings).
using FileWarnings = std::map<std::string, std::string>;

FileWarnings file_warnings(const Services& services);

// With its totals, its latest occurrence and its warning. Secrets in its command are not shown.
Result<boost::json::object> view_of(store::Reads& store, const Home& home,
                                    const triggers::StoredTrigger& trigger, WallMs now,
                                    const FileWarnings& of_files);

}  // namespace drover::api
