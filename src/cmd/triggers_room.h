// The room triggers as a constant for the daemon (room.h).
#pragma once

#include "cmd/room.h"

namespace drover {

extern const Room kTriggersRoom;

}  // namespace drover
