// The routes of the inbox.
#pragma once

#include "api/route.h"

namespace drover::api {

RouteGroup inbox_routes();

}  // namespace drover::api
