// The OpenAPI 3.1 description of every operation of these areas, in their order.
#pragma once

#include <boost/json/object.hpp>
#include <span>

#include "wire/area.h"

namespace drover::wire {

boost::json::object openapi(std::span<const Area* const> areas);

}  // namespace drover::wire
