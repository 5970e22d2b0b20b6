// One daemon a home, by a lock that cannot outlive its holder as a pid file would.
#pragma once

#include "base/fd.h"
#include "base/home.h"

namespace drover {

// Holds the home until the descriptor is closed. `daemon_running`, with its pid, if another has it.
Result<Fd> take_home(const Home& home);

// Whether somebody has it at this moment. Looking takes nothing away.
bool home_is_taken(const Home& home);

}  // namespace drover
