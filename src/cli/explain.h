// Prints errors and maps them to exit codes.
#pragma once

#include <span>
#include <vector>

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

// The options for `in_options`: of several with one field (--on and --change), the one that was
// typed.
std::vector<Option> typed_options(std::span<const Option> options, const Arguments& arguments);

int exit_code_of(const Error& error);

}  // namespace drover::cli
