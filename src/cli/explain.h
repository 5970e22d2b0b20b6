// How an error is told, and with what the program then exits.
#pragma once

#include "base/result.h"
#include "cli/screen.h"

namespace drover::cli {

// Tells it on standard error (as the API's envelope if JSON is asked for) and returns the exit
// code. Somebody who stopped reading our output is no error worth a word.
int explain(const Error& error, Screen& screen, bool json);

int exit_code_of(const Error& error);

}  // namespace drover::cli
