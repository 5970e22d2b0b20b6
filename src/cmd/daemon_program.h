// What a daemon's main does: reads its words and the settings, opens the daemon with its rooms, and
// runs it until it is told to stop. Also `--verify`, and whatever words the rooms bring.
#pragma once

#include "cmd/room.h"

namespace drover {

// The program's exit code.
int daemon_program(int argc, char** argv, RoomList rooms);

}  // namespace drover
