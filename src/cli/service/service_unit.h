// The service unit as it stands on this machine: where its file is, for which home it starts the
// daemon, and how systemd is asked. What is in it: unit.h.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "cli/program.h"
#include "cli/service/unit.h"

namespace drover::cli {

// Those of kHomeVariables that are set and count.
Variables home_variables();

Result<std::string> unit_path();

// `systemctl --user …`, to its end.
ProgramEnd systemctl(std::vector<std::string> words, std::int64_t patience_ms = limits::kReadyMs);

// Whether a unit is installed that starts the daemon of the home that these variables name; another
// home's unit would start another daemon.
bool unit_serves(const Variables& variables);

}  // namespace drover::cli
