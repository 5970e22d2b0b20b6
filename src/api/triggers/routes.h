// The routes of the room triggers.
#pragma once

#include "api/route.h"

namespace drover::api {

RouteGroup triggers_routes();

}  // namespace drover::api
