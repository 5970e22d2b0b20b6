// Another program, run to its end: systemctl, loginctl. Its standard input is empty; what it prints
// is kept, both streams together.
#pragma once

#include <string>
#include <vector>

namespace drover::cli {

struct ProgramEnd {
  int code = -1;  // -1: it could not be started, or a signal ended it.
  std::string output;
  bool ok() const { return code == 0; }
};

ProgramEnd run_program(std::vector<std::string> words);

}  // namespace drover::cli
