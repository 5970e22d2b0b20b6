// Parcels is a toy room that shows what a room is: `drover parcel send NAME` starts a run of the
// kind `delivery`; a follower counts the finished deliveries in a table of the room, and writes an
// event `parcel.counted` for each. docs/adding/room.md explains it.
#pragma once

namespace drover {
struct Room;
namespace cli {
struct Command;
}
}  // namespace drover

namespace drover::parcels {

extern const Room kRoom;                 // For the daemon: parcels.cc.
extern const cli::Command kSendCommand;  // For the command line: parcel_command.cc.

}  // namespace drover::parcels
