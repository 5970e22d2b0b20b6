// droverd, the daemon. People start it with `drover serve`; otherwise the first command starts it.
#include "cmd/daemon_program.h"
#include "cmd/inbox_room.h"
#include "cmd/play_room.h"
#include "cmd/triggers_room.h"

int main(int argc, char** argv) {
  // The rooms, as in cmd/drover.cc.
  static constexpr auto kRooms = std::to_array<const drover::Room*>(
      {&drover::kPlayRoom, &drover::kTriggersRoom, &drover::kInboxRoom});
  return drover::daemon_program(argc, argv, kRooms);
}
