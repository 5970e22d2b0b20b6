// Runs the whole program: from argv and the commands of the rooms to an exit code. Prints the
// errors that commands return.
#pragma once

#include <span>

#include "cli/command.h"
#include "cli/explainer.h"
#include "cli/run_section.h"
#include "cli/views/phase_view.h"

namespace drover::cli {

int command_line(int argc, char** argv, std::span<const Command* const> commands,
                 std::span<const PhaseView> phases, std::span<const Explainer> explainers = {},
                 std::span<const RunSection> sections = {});

}  // namespace drover::cli
