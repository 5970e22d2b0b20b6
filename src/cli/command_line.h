// Runs the whole program: from argv and the commands of the rooms to an exit code. Prints the
// errors that commands return.
#pragma once

#include <span>

#include "cli/command.h"
#include "cli/views/phase_view.h"

namespace drover::cli {

int command_line(int argc, char** argv, std::span<const Command* const> commands,
                 std::span<const PhaseView> phases);

}  // namespace drover::cli
