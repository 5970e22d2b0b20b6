// The operations on the daemon itself: read its status, and stop it. Its area also has the shapes
// of answers that several areas share.
#pragma once

#include "wire/area.h"

namespace drover::wire::daemon {

namespace answers {
inline constexpr auto kStatus =
    std::to_array<Answer>({answer_ok("DaemonStatus", "The status of the daemon")});
inline constexpr auto kStop =
    std::to_array<Answer>({{202, kJson, "Stopping", "The daemon is stopping"}});
}  // namespace answers

namespace parameters {
inline constexpr auto kStatus = std::to_array<Parameter>({
    {"sizes", "If true, also count what the database holds", "Flag"},
});
}  // namespace parameters

inline constexpr Operation status{
    .name = "status",
    .method = "GET",
    .path = "/api/status",
    .can = Permission::read_all,
    .query = parameters::kStatus,
    .help = "Show the daemon and its paths",
    .answers = answers::kStatus,
};
inline constexpr Operation stop{
    .name = "stop",
    .method = "POST",
    .path = "/api/stop",
    .body = Body::json,
    .can = Permission::own,
    .help = "Stop the daemon",
    .takes = "StopAsked",
    .answers = answers::kStop,
};

inline constexpr auto kOperations = std::to_array<const Operation*>({&status, &stop});
inline constexpr auto kShapes = std::to_array<ShapeList>({shapes_of_answers});
inline constexpr Area kArea{kOperations, {}, kShapes};
static_assert(is_sound(kArea));

}  // namespace drover::wire::daemon
