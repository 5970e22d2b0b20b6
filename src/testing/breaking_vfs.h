// The breaking VFS is the C side of a BreakingDisk: the calls that SQLite makes, each passed on to
// the real VFS unless the disk says that it fails. The functions below ask the disk.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "testing/breaking_disk.h"

namespace drover::testing {

enum class Call : std::uint8_t { open, create, look, read, write, truncate, sync, remove, share };

struct FileName {
  std::string path;
  bool is_database = false;
  bool is_wal = false;
};

// Counts the call. Returns the fault with which it must fail, if any.
std::optional<Fault> count_call(Call call, const FileName& file);

// Whether the WAL's sync that just succeeded is to be reported as failed, and whether the wal-index
// is to be dropped when the database is closed. Each is true once.
bool spoil_wal_sync();
bool spoil_index();

// Records a change that succeeded.
void note(const std::function<void(DiskImage&)>& change);
void note_sync(const std::string& path);

// Call once per process; `name` must live forever.
void register_vfs(const char* name);

}  // namespace drover::testing
