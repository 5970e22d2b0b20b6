// The home that a set of variables leads to: our own environment's (Home::from_environment), or
// that of a service, which may be told in other words where the same home is.
#pragma once

#include <functional>
#include <string>

#include "base/home.h"

namespace drover {

// Empty: it is not set.
using ReadVariable = std::function<std::string(const char* name)>;

Result<Home> home_of(const ReadVariable& variable);

}  // namespace drover
