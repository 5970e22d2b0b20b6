// How an error is told, and with what the program then exits.
#pragma once

#include <span>

#include "base/result.h"
#include "cli/command.h"
#include "cli/terminal/screen.h"

namespace drover::cli {

// Tells it on standard error (as the API's envelope if JSON is asked for) and returns the exit
// code. Somebody who stopped reading our output is no error worth a word.
int explain(const Error& error, Screen& screen, bool json);

// The same error in the words of who typed the command: an option by its name instead of the field
// that it became ("--memory" for "limits.memory").
Error in_options(Error error, std::span<const Option> options);

int exit_code_of(const Error& error);

}  // namespace drover::cli
