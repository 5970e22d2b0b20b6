// The operations on the daemon itself: read its status, stop it, start a probe run. Its area also
// has the shapes of answers that several areas share.
#pragma once

#include "wire/area.h"

namespace drover::wire::daemon {

namespace answers {
inline constexpr auto kStatus =
    std::to_array<Answer>({answer_ok("DaemonStatus", "The status of the daemon")});
inline constexpr auto kStop =
    std::to_array<Answer>({{202, kJson, "Stopping", "The daemon is stopping"}});
inline constexpr auto kProbe =
    std::to_array<Answer>({answer_ok("Probed", "The probe run has started and finished")});
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

inline constexpr Operation probe{
    .name = "probe",
    .method = "POST",
    .path = "/api/probe",
    .body = Body::json,
    .can = Permission::own,
    .help = "Start and end a probe run",
    .takes = "Nothing",
    .answers = answers::kProbe,
    .repeatable = true,
};

inline constexpr auto kOperations = std::to_array<const Operation*>({&status, &stop, &probe});
inline constexpr auto kShapes = std::to_array<ShapeList>({shapes_of_answers});
inline constexpr Area kArea{kOperations, {}, kShapes};
static_assert(is_sound(kArea));

}  // namespace drover::wire::daemon
