// The inbox: questions of runs to people, and reports.
#pragma once

#include "cmd/room.h"

namespace drover {

extern const Room kInboxRoom;

}  // namespace drover
