// The operations on handles: a run's whole id, which resolves for ever, also after the run's record
// was removed.
#pragma once

#include "wire/area.h"

namespace drover::wire::handles {

inline constexpr std::string_view kSubject = "a run's id, whole";

namespace parameters {
inline constexpr auto kTimeline = std::to_array<Parameter>({
    {"limit", "how many at most", "TimelineSize"},
    {"cursor", "next_cursor of the page before", "Cursor"},
});
}  // namespace parameters

namespace answers {
inline constexpr auto kStatus =
    std::to_array<Answer>({answer_ok("RunStatus", "what became of it")});
inline constexpr auto kTimeline = std::to_array<Answer>({answer_ok("Timeline", "a page")});
inline constexpr auto kCancel = std::to_array<Answer>({{202, kJson, "Outcome", "asked for"}});
}  // namespace answers

inline constexpr Operation status{
    .name = "ref.status",
    .method = "GET",
    .path = "/_ref/runs/{id}",
    .subject = kSubject,
    .can = Permission::read,
    .help = "what became of a run, for ever: from its events alone",
    .answers = answers::kStatus,
};
inline constexpr Operation timeline{
    .name = "ref.timeline",
    .method = "GET",
    .path = "/_ref/runs/{id}/timeline",
    .subject = kSubject,
    .can = Permission::read,
    .query = parameters::kTimeline,
    .help = "everything that happened to a run, in pages",
    .answers = answers::kTimeline,
};
inline constexpr Operation cancel{
    .name = "ref.cancel",
    .method = "POST",
    .path = "/_ref/runs/{id}/cancel",
    .subject = kSubject,
    .body = Body::json,
    .can = Permission::cancel,
    .help = "end a run by its handle",
    .takes = "CancelAsked",
    .answers = answers::kCancel,
};

inline constexpr auto kOperations = std::to_array<const Operation*>({&status, &timeline, &cancel});
inline constexpr auto kTags = std::to_array<Tag>({{"ref", "handles: a run's id, for ever"}});
inline constexpr Area kArea{kOperations, kTags};
static_assert(is_sound(kArea));

}  // namespace drover::wire::handles
