// The service unit on this machine: the path of its file, the home whose daemon it starts, and
// calls to systemctl. For its text, see unit.h.
#pragma once

#include <string>
#include <vector>

#include "base/home.h"
#include "base/result.h"
#include "cli/program.h"
#include "cli/service/unit.h"

namespace drover::cli {

// The kHomeVariables that are set to absolute paths.
Variables home_variables();

Result<std::string> unit_path();

// Runs `systemctl --user …` until it exits.
ProgramEnd systemctl(std::vector<std::string> words, std::int64_t timeout_ms = limits::kReadyMs);

// The start script for machines without systemd.
std::string script_path(const Home& home);

// Whether something is installed that starts the daemon of this home with the machine: its unit, or
// the script, which the user may have added to the crontab.
bool starts_with_machine(const Home& home);

// Whether the installed unit starts the daemon of the home that these variables name. A unit of
// another home would start another daemon.
bool unit_serves(const Variables& variables);

}  // namespace drover::cli
