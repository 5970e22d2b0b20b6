// drover, the command line.
#include "base/fd.h"
#include "cli/command_line.h"
#include "cli/commands/commands.h"
#include "cli/commands/inbox/commands.h"
#include "cli/commands/play/commands.h"
#include "cli/commands/triggers/commands.h"

int main(int argc, char** argv) {
  drover::fill_standard_descriptors();
  // The rooms, as in cmd/droverd.cc.
  const auto commands =
      drover::cli::commands_with({drover::cli::play_commands(), drover::cli::trigger_commands(),
                                  drover::cli::inbox_commands()});
  return drover::cli::command_line(argc, argv, commands, drover::cli::play_phases(),
                                   drover::cli::trigger_explainers(),
                                   drover::cli::inbox_sections());
}
