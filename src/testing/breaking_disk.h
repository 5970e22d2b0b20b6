// A BreakingDisk is a disk that fails on request: an SQLite VFS named "breaking" in front of the
// real one. A store that is opened with `Options{.vfs = BreakingDisk::kName}` uses it.
//
// It can break one call of a store's whole life, the n-th, so that a test can try every n; and it
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
  late_full,    // ENOSPC that only the sync reports, as with delayed allocation.
  lost_sync,    // EIO at a sync; its data is never saved, whatever later syncs return.
};
std::string_view name(Fault fault);

enum class FaultDuration : std::uint8_t { once, until_repaired };

class BreakingDisk {
 public:
  static constexpr const char* kName = "breaking";

  // Registers the VFS once and ends all faults. Keeps what it knows of its files.
  static void repair();

  // From now on, the n-th call that can fail in this way does: 1 is the next.
  static void break_call(int n, Fault fault, FaultDuration lasting);
  // Whether a call has failed since. If a test's story ends with `!broke()`, it had fewer calls
  // than n: every call has been tried.
  static bool broke();

  // All writes fail as on a full disk.
  static void fill() { break_call(1, Fault::full, FaultDuration::until_repaired); }

  // The sync that ends the next commit fails. That alone does not tell whether the commit landed.
  // `lost`: it did not (as long as another connection is open and remembers the end of the WAL).
  // `landed`: it is there once the database is opened again, as after a crash.
  enum class Fate : std::uint8_t { lost, landed };
  static void fail_sync(Fate fate);

  // The database cannot be opened.
  static void lock_out();

  // Syncs return success and save nothing.
  static void lie_about_syncs();

  // Forgets all files. Call it before a test that asks for images.
  static void begin_image();
  // Until then no image is kept: a test that writes a lot and cuts no power has no use for it.
  static void keep_no_image();
  // The durable changes, and the others.
  static DiskImage image();
  // Calls `look` before each call that changes a file, with the image at that moment. Null: stop.
  // `look` must not use the disk.
  static void before_each_change(std::function<void(const DiskImage&)> look);
};

}  // namespace drover::testing
