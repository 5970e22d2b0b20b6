// The main function of a daemon: reads the command line and the settings, opens the daemon with its
// rooms, and runs it until it is stopped. It also handles `--verify` and the options of the rooms.
#pragma once

#include "cmd/room.h"

namespace drover {

// The program's exit code.
int daemon_program(int argc, char** argv, RoomList rooms);

}  // namespace drover
