#include "testing/breaking_disk.h"

#include <mutex>
#include <optional>
#include <utility>

#include "testing/breaking_vfs.h"

namespace drover::testing {
namespace {

struct Disk {
  std::mutex mutex;
  DiskImage image;
  bool keeps_image = true;
  std::function<void(const DiskImage&)> look;

  int countdown = 0;  // To the call that fails; 0: none.
  Fault fault = Fault::io_error;
  FaultDuration lasting = FaultDuration::once;
  bool broke = false;

  bool log_sync_fails = false;
  bool forgets_index = false;
  bool locked_out = false;
  bool lies = false;
};

Disk& disk() {
  static Disk instance;
  return instance;
}

bool can_break(Fault fault, Call call) {
  switch (fault) {
    case Fault::io_error:
      return true;
    case Fault::full:
      return call == Call::create || call == Call::write || call == Call::share;
    case Fault::short_write:
      return call == Call::write;
    case Fault::late_full:
    case Fault::lost_sync:
      return call == Call::sync;
  }
  std::unreachable();
}

}  // namespace

std::string_view name(Fault fault) {
  switch (fault) {
    case Fault::io_error:
      return "io_error";
    case Fault::full:
      return "full";
    case Fault::short_write:
      return "short_write";
    case Fault::late_full:
      return "late_full";
    case Fault::lost_sync:
      return "lost_sync";
  }
  std::unreachable();
}

std::optional<Fault> count_call(Call call, const FileName& file) {
  Disk& d = disk();
  const std::lock_guard lock(d.mutex);
  if (d.look && (call == Call::write || call == Call::truncate || call == Call::sync ||
                 call == Call::remove)) {
    d.look(d.image);
  }
  if (d.locked_out && file.is_database && call == Call::open) return Fault::io_error;
  if (d.countdown == 0 || !can_break(d.fault, call)) return std::nullopt;
  if (d.countdown > 1) {
    --d.countdown;
    return std::nullopt;
  }
  d.broke = true;
  if (d.lasting == FaultDuration::once) d.countdown = 0;
  if (d.fault == Fault::lost_sync) d.image.lose(file.path);
  return d.fault;
}

bool spoil_wal_sync() {
  const std::lock_guard lock(disk().mutex);
  return std::exchange(disk().log_sync_fails, false);
}

bool spoil_index() {
  const std::lock_guard lock(disk().mutex);
  return std::exchange(disk().forgets_index, false);
}

void note(const std::function<void(DiskImage&)>& change) {
  const std::lock_guard lock(disk().mutex);
  if (disk().keeps_image) change(disk().image);
}

void note_sync(const std::string& path) {
  const std::lock_guard lock(disk().mutex);
  if (!disk().lies && disk().keeps_image) disk().image.sync(path);
}

void BreakingDisk::repair() {
  register_vfs(kName);
  const std::lock_guard lock(disk().mutex);
  disk().countdown = 0;
  disk().log_sync_fails = false;
  disk().forgets_index = false;
  disk().locked_out = false;
  disk().lies = false;
}

void BreakingDisk::break_call(int n, Fault fault, FaultDuration lasting) {
  const std::lock_guard lock(disk().mutex);
  disk().countdown = n;
  disk().fault = fault;
  disk().lasting = lasting;
  disk().broke = false;
}

bool BreakingDisk::broke() {
  const std::lock_guard lock(disk().mutex);
  return disk().broke;
}

void BreakingDisk::fail_sync(Fate fate) {
  const std::lock_guard lock(disk().mutex);
  disk().forgets_index = fate == Fate::landed;
  disk().log_sync_fails = true;
}

void BreakingDisk::lock_out() {
  const std::lock_guard lock(disk().mutex);
  disk().locked_out = true;
}

void BreakingDisk::lie_about_syncs() {
  const std::lock_guard lock(disk().mutex);
  disk().lies = true;
}

void BreakingDisk::begin_image() {
  const std::lock_guard lock(disk().mutex);
  disk().image = {};
  disk().keeps_image = true;
}

void BreakingDisk::keep_no_image() {
  const std::lock_guard lock(disk().mutex);
  disk().image = {};
  disk().keeps_image = false;
}

DiskImage BreakingDisk::image() {
  const std::lock_guard lock(disk().mutex);
  return disk().image;
}

void BreakingDisk::before_each_change(std::function<void(const DiskImage&)> look) {
  const std::lock_guard lock(disk().mutex);
  disk().look = std::move(look);
}

}  // namespace drover::testing
