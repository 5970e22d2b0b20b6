// The room inbox as a constant for the daemon (room.h).
#pragma once

#include "cmd/room.h"

namespace drover {

extern const Room kInboxRoom;

}  // namespace drover
