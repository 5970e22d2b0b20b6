// What is still known of a run whose record was removed: its handle resolves for ever (H4).
#pragma once

#include <boost/json/object.hpp>
#include <string>

#include "cli/context.h"

namespace drover::cli {

// The status that is left of `run` (GET /_ref/runs/{id}) if `error` says that it is not there and
// it was once; otherwise that error.
Result<boost::json::object> ask_for_removed(Context& context, const std::string& run,
                                            const Error& error);

// "completed · exit_zero · 2026-11-15 20:50:32; its record and output were removed"
std::string say_removed(const boost::json::object& status);

// With what `wait` exits: what is left of it has no code of the command's own.
int exit_code_of_removed(const boost::json::object& status);

}  // namespace drover::cli
