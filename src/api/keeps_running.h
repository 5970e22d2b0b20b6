// A RunningReason is a reason why the daemon keeps running, for `drover status`. Each room can name
// one, by a KeepsRunning function that reads the store.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/clock.h"
#include "base/result.h"
#include "store/reads.h"

namespace drover::api {

struct RunningReason {
  std::string what;                    // "active triggers".
  std::int64_t count = 0;              // 0: this is not a reason now.
  std::optional<WallMs> next_at = {};  // When it acts next, if that is known.
};

using KeepsRunning = Result<RunningReason> (*)(store::Reads& store);

}  // namespace drover::api
