// Reads back the data of an event. An event carries a part of its run's record as JSON (written by
// run/record_json.h). Of a deleted run only the last event is left; `record_of` makes a record from
// it. Pure.
#pragma once

#include <boost/json/object.hpp>

#include "run/event.h"
#include "run/record.h"

namespace drover::run {

// The data of any event; empty if it is not a JSON object.
boost::json::object data_of(const Event& event);

// The record of a finished run, from its last event: each field that the event carries; the others
// as in an empty record. A time of 0 means never: a run that never started has no `started_at`. An
// unreadable state becomes `abandoned`: unknown is never success.
Record record_of(const Event& final_event);

}  // namespace drover::run
