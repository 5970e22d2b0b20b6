// The routes of the core, and how rooms join them.
#pragma once

#include <span>
#include <vector>

#include "api/route.h"

namespace drover::api {

// All routes of a daemon with these rooms, in the order of wire/core_areas.h.
std::vector<RouteGroup> routes_with(std::span<const RouteGroup> rooms);

}  // namespace drover::api
