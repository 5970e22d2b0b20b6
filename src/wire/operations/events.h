// The whole log. The events of one run are in run_io.h.
#pragma once

#include "wire/area.h"
#include "wire/operations/run_io.h"

namespace drover::wire::events {

namespace parameters {
inline constexpr auto kList = std::to_array<Parameter>({
    {"after", "only what came after this cursor", "Cursor"},
    {"follow", "true: a stream of server-sent events", "Flag"},
    {"output", "true: a run's own stream carries its output too", "Flag"},
    {"scope", "this scope and those below it; repeat for several", "Topics"},
    {"run", "this run; repeat for several: with scope, what is of any of them", "Topics"},
    {"limit", "how many at most", "PageSize"},
    {"last", "true: if there are more, the last of them instead of the first", "Flag"},
});
}  // namespace parameters

inline constexpr Operation list{
    .name = "events",
    .method = "GET",
    .path = "/api/events",
    .can = Permission::read,
    .query = parameters::kList,
    .help = "what happened to all runs",
    .headers = runs::headers::kEvents,
    .answers = runs::answers::kEvents,
};

inline constexpr auto kOperations = std::to_array<const Operation*>({&list});
inline constexpr auto kTags = std::to_array<Tag>({{"events", "what happened"}});
inline constexpr Area kArea{kOperations, kTags};
static_assert(is_sound(kArea));

}  // namespace drover::wire::events
