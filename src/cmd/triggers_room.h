// The room triggers: schedules and events that start runs.
#pragma once

#include "cmd/room.h"

namespace drover {

extern const Room kTriggersRoom;

}  // namespace drover
