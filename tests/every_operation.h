// Every operation of the daemon: of the core and of its rooms. Tests made from this list include
// new operations automatically; EveryRoute.IsInTheList compares it with what the daemon serves.
#pragma once

#include <vector>

#include "wire/core_areas.h"
#include "wire/inbox/operations.h"
#include "wire/play/operations.h"
#include "wire/triggers/operations.h"

namespace drover::tests {

inline const std::vector<const wire::Operation*>& every_operation() {
  static constexpr auto kRooms = std::to_array<const wire::Area*>(
      {&wire::play::kArea, &wire::inbox::kArea, &wire::triggers::kArea});
  static const auto kAll = wire::operations_with(kRooms);
  return kAll;
}

}  // namespace drover::tests
