// The timer of the timetable is the one of work/wall_timer.h.
#pragma once

#include "work/wall_timer.h"

namespace drover::triggers {

using work::SystemWallTimer;
using work::WallTimer;

}  // namespace drover::triggers
