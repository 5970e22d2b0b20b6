// What the data of an event says, read back. An event carries a part of its run's record as JSON
// (run/evidence.h writes it); of a deleted run the terminal event is all that is left, and
// `record_of` makes a record of it again. Pure.
#pragma once

#include <boost/json/object.hpp>

#include "run/event.h"
#include "run/record.h"

namespace drover::run {

// The data of any event; empty if it is no JSON object.
boost::json::object data_of(const Event& event);

// The record of a run as its terminal event tells it: every field that the event carries, and the
// others as in an empty record. A time of 0 is one that the run never had: one that never started
// has no `started_at`. A state that cannot be read is `abandoned`: unknown is never success.
Record record_of(const Event& terminal);

}  // namespace drover::run
