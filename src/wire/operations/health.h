// The operations for monitors and client generators: health, metrics, and the API's description.
#pragma once

#include "wire/area.h"

namespace drover::wire::health {

namespace answers {
inline constexpr auto kHealth =
    std::to_array<Answer>({answer_ok("Health", "Yes: the status is ok or ready")});
inline constexpr auto kMetrics =
    std::to_array<Answer>({{200, "text/plain", "Bytes", "Metrics in the Prometheus text format"}});
inline constexpr auto kOpenapi =
    std::to_array<Answer>({answer_ok("Description", "The OpenAPI 3.1 document")});
}  // namespace answers

inline constexpr Operation live{
    .name = "health",
    .method = "GET",
    .path = "/healthz",
    .can = Permission::anyone,
    .help = "Check that the daemon answers",
    .answers = answers::kHealth,
};
inline constexpr Operation ready{
    .name = "ready",
    .method = "GET",
    .path = "/readyz",
    .can = Permission::anyone,
    .help = "Check that a run can start and end now",
    .answers = answers::kHealth,
};
inline constexpr Operation metrics{
    .name = "metrics",
    .method = "GET",
    .path = "/metrics",
    .can = Permission::read_all,
    .help = "Show metrics for Prometheus",
    .answers = answers::kMetrics,
};
inline constexpr Operation openapi{
    .name = "openapi",
    .method = "GET",
    .path = "/openapi.json",
    .can = Permission::anyone,
    .help = "Show the description of this API",
    .answers = answers::kOpenapi,
};

inline constexpr auto kOperations =
    std::to_array<const Operation*>({&live, &ready, &metrics, &openapi});
inline constexpr Area kArea{kOperations};
static_assert(is_sound(kArea));

}  // namespace drover::wire::health
