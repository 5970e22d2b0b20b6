// The command line with one additional room.
#include "base/fd.h"
#include "cli/command_line.h"
#include "cli/commands/commands.h"
#include "cli/commands/play/commands.h"
#include "tests/rooms/parcels.h"

int main(int argc, char** argv) {
  static constexpr auto kParcels =
      std::to_array<const drover::cli::Command*>({&drover::parcels::kSendCommand});
  drover::fill_standard_descriptors();
  const auto commands = drover::cli::commands_with({drover::cli::play_commands(), kParcels});
  return drover::cli::command_line(argc, argv, commands, drover::cli::play_phases());
}
