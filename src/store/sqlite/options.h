// The options of an SQLite store. Tests change them; the daemon sets only the kinds and rooms.
#pragma once

#include <cstddef>
#include <string>

#include "base/limits.h"
#include "run/kind.h"
#include "store/transaction.h"

namespace drover::store::sqlite {

struct Options {
  size_t queued_max = limits::kQueuedMax;
  size_t write_queue_max = limits::kWriteQueueMax;
  int checkpoint_pages = limits::kCheckpointPages;  // Then at the next idle moment.
  int log_pages_max = limits::kLogPagesMax;         // Then at once.
  std::string vfs = {};                             // Empty: the default one.
  const run::Kinds* kinds = &run::only_commands();  // Must outlive the store.
  std::vector<RoomSchema> rooms = {};
};

}  // namespace drover::store::sqlite
