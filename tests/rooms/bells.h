// Bells is a toy room that shows what a room is: `drover bell ring NAME` starts a run of the kind
// `chime`; a follower counts the finished chimes in a table of the room, and writes an event
// `bell.counted` for each. docs/adding/room.md explains it.
#pragma once

namespace drover {
struct Room;
namespace cli {
struct Command;
}
}  // namespace drover

namespace drover::bells {

extern const Room kRoom;                 // For the daemon: bells.cc.
extern const cli::Command kRingCommand;  // For the command line: bell_command.cc.

}  // namespace drover::bells
