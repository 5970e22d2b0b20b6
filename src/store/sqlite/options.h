// The options of an SQLite store. Tests change them; the daemon sets only the kinds and rooms.
#pragma once

#include <cstddef>
#include <functional>
#include <string>

#include "base/limits.h"
#include "run/kind.h"
#include "store/transaction.h"

namespace drover::store::sqlite {

struct Options {
  size_t queued_max = limits::kQueuedMax;
  size_t write_queue_max = limits::kWriteQueueMax;
  int checkpoint_pages = limits::kCheckpointPages;  // Then at the next idle moment.
  int wal_pages_max = limits::kWalPagesMax;         // Then at once.
  std::string vfs = {};                             // Empty: the default one.
  const run::Kinds* kinds = &run::only_commands();  // Must outlive the store.
  std::vector<RoomSchema> rooms = {};
  std::string generation = {};  // The file of generation.h; empty: none.
  // Set by SqliteStore::open: how the writer gets rid of readers, the name of this start
  // (store/epochs.h), and the last event number that the generation file knows; 0: it knows none.
  std::function<void()> interrupt_readers = [] {};  // Ends snapshots that keep the WAL.
  std::string epoch = {};
  std::int64_t known_seq = 0;
};

}  // namespace drover::store::sqlite
