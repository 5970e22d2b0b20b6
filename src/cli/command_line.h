// The whole command line: from argv and what the rooms bring to an exit code. What a command does
// not explain itself is explained here.
#pragma once

#include <span>

#include "cli/command.h"
#include "cli/views/phase_view.h"

namespace drover::cli {

int command_line(int argc, char** argv, std::span<const Command* const> commands,
                 std::span<const PhaseView> phases);

}  // namespace drover::cli
