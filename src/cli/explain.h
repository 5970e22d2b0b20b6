// Prints errors and maps them to exit codes.
#pragma once

#include <span>

#include "base/result.h"
#include "cli/command.h"
#include "cli/terminal/screen.h"

namespace drover::cli {

// Prints the error to standard error (with `json`, as the API's error envelope) and returns the
// exit code.
int explain(const Error& error, Screen& screen, bool json);

// The same error with the option that the user typed instead of the API's field ("--memory" for
// "limits.memory").
Error in_options(Error error, std::span<const Option> options);

int exit_code_of(const Error& error);

}  // namespace drover::cli
