// The producer of an event is who made it: "emit", "run", "hook/deploy". These functions give the
// type and the producer of the events that a trigger's source makes: a webhook, files, a feed or a
// page. Pure.
#pragma once

#include <string>
#include <string_view>

#include "triggers/definition/spec.h"

namespace drover::triggers {

// "webhook.received". Empty: a schedule has no events, and those of an EventSource have any type
// that its pattern matches.
std::string_view event_type_of(const Source& source);

// The producer of its events, which is also the scope of their dedup keys: "hook/deploy",
// "file/drop". `trigger` is the trigger's name. Empty as above.
std::string producer_of(const Source& source, std::string_view trigger);

}  // namespace drover::triggers
