// The plan of a submission (R16, R17): its priority, what it waits for, and how often it is tried.
#pragma once

#include <optional>

#include "api/http/fields.h"
#include "api/services.h"
#include "run/spec.h"

namespace drover::api {

// What is wrong is refused by `fields`. Runs to wait for may be named as in a path (resolve.h); if
// one of them is not to be found now, this returns why: a repeated request does not need it.
std::optional<Error> read_plan(Fields& fields, run::Spec& spec, const Services& services,
                               const access::Grant& grant);

}  // namespace drover::api
