#include "cli/explain.h"

#include <unistd.h>

#include "base/fd.h"
#include "wire/errors.h"

namespace drover::cli {

int exit_code_of(const Error& error) {
  if (error.reason == "no_daemon") return wire::exit_code::kNoDaemon;
  return wire::form(error.code).exit_code;
}

int explain(const Error& error, Screen& screen, bool json) {
  if (json) {
    screen.erase_progress();
    (void)write_all(STDERR_FILENO, wire::envelope(error, "") + "\n");
  } else {
    screen.notice(error.message);
  }
  return exit_code_of(error);
}

}  // namespace drover::cli
