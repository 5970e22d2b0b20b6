// Runs another program until it exits, such as systemctl or loginctl. Its standard input is empty;
// its standard output and error are captured together. It receives signals even if we block or
// ignore them. If it takes too long, it is killed; its own children are neither killed nor waited
// for.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/limits.h"

namespace drover::cli {

struct ProgramEnd {
  int code = -1;  // -1: it could not be started, was killed by a signal, or took too long.
  std::string output;
  bool ok() const { return code == 0; }
};

ProgramEnd run_program(std::vector<std::string> words, std::int64_t timeout_ms = limits::kReadyMs);

}  // namespace drover::cli
