// The status of a run whose record was removed: its handle resolves forever (H4).
#pragma once

#include <boost/json/object.hpp>
#include <string>

#include "cli/context.h"

namespace drover::cli {

// If `error` says that `run` does not exist: the status that is kept of a removed run. It is in the
// details of the error; a daemon of an earlier release is asked for it (GET /_ref/runs/{id}). If
// there is none, returns `error`.
Result<boost::json::object> ask_for_removed(Context& context, const std::string& run,
                                            const Error& error);

// The status and its reason: "canceled · canceled_by_owner".
std::string say_status(const boost::json::object& status);

// "completed · exit_zero · 2026-11-15 20:50:32; its record and output were removed"
std::string say_removed(const boost::json::object& status);

// The exit code of `wait` for a removed run: that of the run, unless the daemon is of an earlier
// release, whose status does not include it.
int exit_code_of_removed(const boost::json::object& status);

}  // namespace drover::cli
