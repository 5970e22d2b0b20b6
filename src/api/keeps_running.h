// The reasons why the daemon keeps running, for `drover status`: each room can name one.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/clock.h"
#include "base/result.h"
#include "store/reads.h"

namespace drover::api {

struct Kept {
  std::string what;                    // "active triggers".
  std::int64_t count = 0;              // 0: no reason.
  std::optional<WallMs> next_at = {};  // When it acts next, if that is known.
};

using KeepsRunning = Result<Kept> (*)(store::Reads& store);

}  // namespace drover::api
