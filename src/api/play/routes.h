// The routes of the room play.
#pragma once

#include "api/route.h"

namespace drover::api {

RouteGroup play_routes();

}  // namespace drover::api
