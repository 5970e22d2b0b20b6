// Triggers and rows of their ledger as JSON, for answers.
#pragma once

#include <boost/json/object.hpp>
#include <map>
#include <string>

#include "api/services.h"
#include "base/home.h"
#include "run/record.h"
#include "store/reads.h"
#include "triggers/ledger/occurrence.h"
#include "triggers/spec.h"
#include "triggers/stored_trigger.h"

namespace drover::api {

boost::json::object view_of(const triggers::Occurrence& row);

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

// With its totals, its latest row and its warning. Secrets in its command are not shown.
Result<boost::json::object> view_of(store::Reads& store, const Home& home,
                                    const triggers::StoredTrigger& trigger, WallMs now,
                                    const FileWarnings& of_files);

}  // namespace drover::api
