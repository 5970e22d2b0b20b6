// Every operation of the daemon: of the core and of its rooms. Tests made from this list
// include new operations automatically.
#pragma once

#include <vector>

#include "wire/core_areas.h"
#include "wire/play/operations.h"

namespace drover::tests {

inline const std::vector<const wire::Operation*>& every_operation() {
  static constexpr auto kRooms = std::to_array<const wire::Area*>({&wire::play::kArea});
  static const auto kAll = wire::operations_with(kRooms);
  return kAll;
}

}  // namespace drover::tests
