// Whether a pattern of a new trigger can match at all. Programs may post any event type later, but
// only Drover produces run.*: a mistyped one would never fire, and nothing would say so. Triggers
// that exist already are not checked, because a later release may produce more types. Pure.
#pragma once

#include <string_view>

#include "base/result.h"
#include "triggers/events/pattern.h"

namespace drover::triggers {

// `param` names the field for the error.
Result<> check_run_event(const EventPattern& pattern, std::string_view param);

}  // namespace drover::triggers
