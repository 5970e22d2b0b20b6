// The command line with one additional room.
#include "base/fd.h"
#include "cli/command_line.h"
#include "cli/commands/commands.h"
#include "cli/commands/play/commands.h"
#include "tests/rooms/bells.h"

int main(int argc, char** argv) {
  static constexpr auto kBells =
      std::to_array<const drover::cli::Command*>({&drover::bells::kRingCommand});
  drover::fill_standard_descriptors();
  const auto commands = drover::cli::commands_with({drover::cli::play_commands(), kBells});
  return drover::cli::command_line(argc, argv, commands, drover::cli::play_phases());
}
