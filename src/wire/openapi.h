// OpenAPI 3.1's description of every operation, made from the one list and its shapes.
#pragma once

#include <boost/json/object.hpp>

namespace drover::wire {

boost::json::object openapi();

}  // namespace drover::wire
