// Reads the plan of a submission (R16, R17): its priority, its dependencies, and how often it is
// tried.
#pragma once

#include <optional>

#include "api/http/fields.h"
#include "api/services.h"
#include "run/spec.h"

namespace drover::api {

// Reports invalid values to `fields`. Dependencies may be named as in a path (resolve.h). If one
// does not resolve now, returns the error: a repeated request with the same key does not need it.
std::optional<Error> read_plan(Fields& fields, run::Spec& spec, const Services& services,
                               const access::Grant& grant);

}  // namespace drover::api
