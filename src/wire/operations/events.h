// The operations on the whole log. The operations on one run's events are in run_io.h.
#pragma once

#include "wire/area.h"
#include "wire/operations/run_io.h"

namespace drover::wire::events {

namespace parameters {
inline constexpr auto kList = std::to_array<Parameter>({
    {"after", "Return only events after this cursor", "Cursor"},
    {"follow", "If true, return a stream of server-sent events", "Flag"},
    {"output", "If true, include the output of all these runs in the stream", "Flag"},
    {"scope", "Only this scope and the scopes below it; repeat for several", "Topics"},
    {"run", "Only this run; repeat for several. With scope: events of any of them", "Topics"},
    {"limit", "Maximum number of entries", "PageSize"},
    {"last", "If true, return the last events instead of the first", "Flag"},
});
}  // namespace parameters

inline constexpr Operation list{
    .name = "events",
    .method = "GET",
    .path = "/api/events",
    .can = Permission::read,
    .query = parameters::kList,
    .help = "List the events of all runs",
    .headers = runs::headers::kEvents,
    .answers = runs::answers::kEvents,
};

inline constexpr auto kOperations = std::to_array<const Operation*>({&list});
inline constexpr auto kTags = std::to_array<Tag>({{"events", "Events, oldest first"}});
inline constexpr Area kArea{kOperations, kTags};
static_assert(is_sound(kArea));

}  // namespace drover::wire::events
