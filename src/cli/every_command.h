// For tests: every command of the program, including those of its rooms.
#pragma once

#include "cli/commands/commands.h"
#include "cli/commands/inbox/commands.h"
#include "cli/commands/play/commands.h"
#include "cli/commands/triggers/commands.h"

namespace drover::cli {

inline const std::vector<const Command*>& every_command() {
  static const auto kAll = commands_with({play_commands(), trigger_commands(), inbox_commands()});
  return kAll;
}

}  // namespace drover::cli
