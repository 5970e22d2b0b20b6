// Derives the home from a set of variables: those of our own environment (Home::from_environment),
// or those of a service, which may name the same home by other variables.
#pragma once

#include <functional>
#include <string>

#include "base/home.h"

namespace drover {

// Returns an empty text if the variable is not set.
using ReadVariable = std::function<std::string(const char* name)>;

Result<Home> home_of(const ReadVariable& variable);

}  // namespace drover
