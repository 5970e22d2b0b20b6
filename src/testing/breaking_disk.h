// A BreakingDisk is a disk that fails when it is told to: an SQLite VFS named "breaking" that
// stands before the real one. Open a store with `Options{.vfs = BreakingDisk::kName}` and it lives
// on it.
//
// It can break one call of a store's whole life, the n-th, so that a test tries every n; and it
// knows at each moment what a power cut would leave (DiskImage). SQLite registers a VFS for the
// whole process, so there is one breaking disk, and its switches are global; each test begins with
// `BreakingDisk::repair()`. Any thread.
#pragma once

#include <functional>
#include <string_view>

#include "testing/disk_image.h"
#include "testing/stride.h"

namespace drover::testing {

// How a call fails. Each counts only the calls that can fail in this way.
enum class Fault : std::uint8_t {
  io_error,     // EIO: any call, reads as well.
  full,         // ENOSPC: writing, creating, making shared memory larger.
  short_write,  // Half of it is written, then ENOSPC.
  late_full,    // ENOSPC that only the sync tells of, as with delayed allocation.
  lost_sync,    // EIO at a sync; what it should have saved will never be, whatever later syncs say.
};
std::string_view name(Fault fault);

enum class FaultDuration : std::uint8_t { once, until_repaired };

class BreakingDisk {
 public:
  static constexpr const char* kName = "breaking";

  // Registers it once, and makes everything work. What it knows of its files stays.
  static void repair();

  // The n-th call from now on that can fail like this does: 1 is the next.
  static void break_call(int n, Fault fault, FaultDuration lasting);
  // Whether it came to that since. A life that ends with `!broke()` had fewer calls than n: every
  // place has been tried.
  static bool broke();

  // Writes fail like on a full disk.
  static void fill() { break_call(1, Fault::full, FaultDuration::until_repaired); }

  // The sync that ends the next commit fails. Nobody can know from that alone whether the commit is
  // there: `lost`, it is not (as long as another connection is open and remembers what counts);
  // `landed`, it is there once the database is opened again, as after a crash.
  enum class Fate : std::uint8_t { lost, landed };
  static void fail_sync(Fate fate);

  // The database cannot be opened.
  static void lock_out();

  // Syncs say that all is well, and save nothing.
  static void lie_about_syncs();

  // Forgets all files. Before a test that asks for images.
  static void begin_image();
  // What is durable now, and what is not.
  static DiskImage image();
  // Called before each call that changes a file, with the image as it then is. Null: no more. It
  // must not use the disk.
  static void before_each_change(std::function<void(const DiskImage&)> look);
};

}  // namespace drover::testing
