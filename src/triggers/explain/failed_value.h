// The value that made a filter skip an event: the reason of an entry names the rule, and its event
// has the value. Pure.
#pragma once

#include <boost/json/value.hpp>
#include <optional>

#include "triggers/ledger/occurrence.h"

namespace drover::triggers {

// Empty: no filter skipped the event, its field is missing, or the event is not kept whole. A long
// value is cut, and then is text.
std::optional<boost::json::value> failed_value(const Occurrence& row);

}  // namespace drover::triggers
