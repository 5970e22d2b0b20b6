// A BreakingDisk is a disk that fails when it is told to: an SQLite VFS named "breaking" that
// stands before the real one. Open a store with `Options{.vfs = BreakingDisk::kName}` and it lives
// on it.
//
// SQLite registers a VFS for the whole process, so there is one breaking disk, and its switches are
// global; each test begins with `BreakingDisk::repair()`. Any thread.
#pragma once

namespace drover::testing {

class BreakingDisk {
 public:
  static constexpr const char* kName = "breaking";

  // Registers it once, and makes everything work.
  static void repair();

  // Writes to the log fail like a full disk: nothing of the transaction lands.
  static void fill();

  // The sync that ends the next commit fails. Nobody can know from that alone whether the commit is
  // there: `lost`, it is not (as long as another connection is open and remembers what counts);
  // `landed`, it is there once the database is opened again, as after a crash.
  enum class Fate { lost, landed };
  static void fail_sync(Fate fate);

  // The database cannot be opened.
  static void lock_out();
};

}  // namespace drover::testing
