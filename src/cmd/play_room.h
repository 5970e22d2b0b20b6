// The room play, as the daemon sees it.
#pragma once

#include "cmd/room.h"

namespace drover {

extern const Room kPlayRoom;

}  // namespace drover
