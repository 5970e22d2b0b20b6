// What a test may want to be different in an SQLite store; the daemon takes it as it is.
#pragma once

#include <cstddef>
#include <string>

#include "base/limits.h"

namespace drover::store::sqlite {

struct Options {
  size_t queued_max = limits::kQueuedMax;
  size_t write_queue_max = limits::kWriteQueueMax;
  std::string vfs;  // Empty: the default one.
};

}  // namespace drover::store::sqlite
