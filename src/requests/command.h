// Reads the command of a run from a request: what to execute, where, in which lane and with which
// limits. The API reads submissions with it; a room reads the runs that it starts later, with the
// same fields and the same refusals. Pure.
#pragma once

#include "requests/fields.h"
#include "run/spec.h"

namespace drover::requests {

// command or shell, cwd, env, name, lane, labels, timeout, idle_timeout, grace, priority, retry,
// on_restart, limits. Fields that are absent leave `spec` unchanged. Invalid values are reported to
// `fields`; `run::validate` checks the rest.
void read_command(Fields& fields, run::Spec& spec);

// A spec as such fields: the inverse, without env, whose values are stored nowhere else (R15).
boost::json::object command_of(const run::Spec& spec);

}  // namespace drover::requests
