// Bells, a room that exists to show what a room is: `drover bell ring NAME` starts a run of the
// kind `chime`; a follower counts the chimes that have ended, in a table of the room, and tells of
// each with an event `bell.counted`. docs/adding/room.md goes through it.
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
