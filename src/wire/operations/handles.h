// The operations on handles. A handle is a run's complete id, which resolves forever, also after
// the run's record was deleted (docs/run.md).
#pragma once

#include "wire/area.h"

namespace drover::wire::handles {

inline constexpr std::string_view kSubject = "Complete id of a run";

namespace parameters {
inline constexpr auto kTimeline = std::to_array<Parameter>({
    {"limit", "Maximum number of entries", "TimelineSize"},
    {"cursor", "The next_cursor of the previous page", "Cursor"},
});
}  // namespace parameters

namespace answers {
inline constexpr auto kStatus =
    std::to_array<Answer>({answer_ok("RunStatus", "The status of the run")});
inline constexpr auto kTimeline =
    std::to_array<Answer>({answer_ok("Timeline", "A page of events")});
inline constexpr auto kCancel =
    std::to_array<Answer>({{202, kJson, "Outcome", "The cancellation is requested"}});
}  // namespace answers

inline constexpr Operation status{
    .name = "ref.status",
    .method = "GET",
    .path = "/_ref/runs/{id}",
    .subject = kSubject,
    .can = Permission::read,
    .help = "Show the status of a run, even after its deletion",
    .answers = answers::kStatus,
};
inline constexpr Operation timeline{
    .name = "ref.timeline",
    .method = "GET",
    .path = "/_ref/runs/{id}/timeline",
    .subject = kSubject,
    .can = Permission::read,
    .query = parameters::kTimeline,
    .help = "List the events of a run, even after its deletion",
    .answers = answers::kTimeline,
};
inline constexpr Operation cancel{
    .name = "ref.cancel",
    .method = "POST",
    .path = "/_ref/runs/{id}/cancel",
    .subject = kSubject,
    .body = Body::json,
    .can = Permission::cancel,
    .help = "Cancel a run by its handle",
    .takes = "CancelAsked",
    .answers = answers::kCancel,
};

inline constexpr auto kOperations = std::to_array<const Operation*>({&status, &timeline, &cancel});
inline constexpr auto kTags = std::to_array<Tag>({{"ref", "Handles: run ids that always resolve"}});
inline constexpr Area kArea{kOperations, kTags};
static_assert(is_sound(kArea));

}  // namespace drover::wire::handles
