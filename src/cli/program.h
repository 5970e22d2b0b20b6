// Another program, run to its end: systemctl, loginctl. Its standard input is empty; what it prints
// is kept, both streams together. Signals reach it, also those that we hold back or ignore. One
// that takes too long is killed; what it has started itself is its own affair, and is not waited
// for.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/limits.h"

namespace drover::cli {

struct ProgramEnd {
  int code = -1;  // -1: it could not be started, a signal ended it, or it took too long.
  std::string output;
  bool ok() const { return code == 0; }
};

ProgramEnd run_program(std::vector<std::string> words, std::int64_t patience_ms = limits::kReadyMs);

}  // namespace drover::cli
