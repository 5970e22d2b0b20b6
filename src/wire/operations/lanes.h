// The operations on lanes. Moving a run to another lane is an operation on the run.
#pragma once

#include "wire/area.h"

namespace drover::wire::lanes {

inline constexpr std::string_view kSubject = "Name of a lane";

namespace answers {
inline constexpr auto kLanes = std::to_array<Answer>({answer_ok("Lanes", "All lanes")});
inline constexpr auto kLane =
    std::to_array<Answer>({answer_ok("Lane", "The lane after the change")});
inline constexpr auto kRemoved =
    std::to_array<Answer>({answer_ok("LaneRemoved", "The lane is removed")});
}  // namespace answers

inline constexpr Operation list{
    .name = "lanes.list",
    .method = "GET",
    .path = "/api/lanes",
    .can = Permission::own,
    .help = "List lanes",
    .answers = answers::kLanes,
};
inline constexpr Operation set{
    .name = "lanes.set",
    .method = "PUT",
    .path = "/api/lanes/{lane}",
    .subject = kSubject,
    .body = Body::json,
    .can = Permission::own,
    .help = "Set the limit of a lane, or pause or drain it",
    .takes = "LaneAsked",
    .needs_body = true,
    .answers = answers::kLane,
};
inline constexpr Operation remove{
    .name = "lanes.delete",
    .method = "DELETE",
    .path = "/api/lanes/{lane}",
    .subject = kSubject,
    .can = Permission::own,
    .help = "Remove a lane without runs",
    .answers = answers::kRemoved,
};

inline constexpr auto kOperations = std::to_array<const Operation*>({&list, &set, &remove});
inline constexpr auto kTags = std::to_array<Tag>({{"lanes", "Named queues with a limit"}});
inline constexpr Area kArea{kOperations, kTags};
static_assert(is_sound(kArea));

}  // namespace drover::wire::lanes
