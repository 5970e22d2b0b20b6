// The daemon with one additional room.
#include "cmd/daemon_program.h"
#include "cmd/play_room.h"
#include "tests/rooms/parcels.h"

int main(int argc, char** argv) {
  static constexpr auto kRooms =
      std::to_array<const drover::Room*>({&drover::kPlayRoom, &drover::parcels::kRoom});
  return drover::daemon_program(argc, argv, kRooms);
}
