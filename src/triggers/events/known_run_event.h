// Whether a pattern of a new trigger can match at all. Programs may post any event type later, but
// only Drover produces run.*, and triggers get few of them: a mistyped one, or one that says how a
// run begins, would never fire, and nothing would say so. Stored triggers are not checked, because
// another release may know other types. Pure.
#pragma once

#include <string_view>

#include "base/result.h"
#include "triggers/events/pattern.h"

namespace drover::triggers {

// `param` names the field for the error.
Result<> check_run_event(const EventPattern& pattern, std::string_view param);

}  // namespace drover::triggers
