// The areas of the core, and how rooms join them. The order is that of the paths in
// /openapi.json: runs first, then the rooms, then the daemon and access.
#pragma once

#include <vector>

#include "wire/operations/access.h"
#include "wire/operations/daemon.h"
#include "wire/operations/events.h"
#include "wire/operations/followers.h"
#include "wire/operations/handles.h"
#include "wire/operations/health.h"
#include "wire/operations/lanes.h"
#include "wire/operations/runs.h"

namespace drover::wire {

inline constexpr auto kAreasBeforeRooms =
    std::to_array<const Area*>({&runs::kArea, &events::kArea, &lanes::kArea});
inline constexpr auto kAreasBehindRooms = std::to_array<const Area*>(
    {&daemon::kArea, &followers::kArea, &handles::kArea, &health::kArea, &access::kArea});

// Every operation of the core and of these rooms, in order.
inline std::vector<const Operation*> operations_with(std::span<const Area* const> rooms) {
  std::vector<const Operation*> out;
  for (const std::span<const Area* const> areas :
       {std::span<const Area* const>(kAreasBeforeRooms), rooms,
        std::span<const Area* const>(kAreasBehindRooms)}) {
    for (const Area* area : areas) {
      out.insert(out.end(), area->operations.begin(), area->operations.end());
    }
  }
  return out;
}

}  // namespace drover::wire
