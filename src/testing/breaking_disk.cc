#include "testing/breaking_disk.h"

#include <sqlite3.h>

#include <atomic>
#include <cstring>

namespace drover::testing {
namespace {

std::atomic<bool> full = false;
std::atomic<bool> sync_fails = false;
std::atomic<bool> forget_index = false;
std::atomic<bool> locked_out = false;

sqlite3_vfs* real_vfs() {
  static sqlite3_vfs* const vfs = sqlite3_vfs_find("unix");
  return vfs;
}

// The real file follows ours in the memory that SQLite gives.
struct File {
  sqlite3_file base;
  bool is_log;
  bool is_database;
};
File* ours(sqlite3_file* file) {
  return reinterpret_cast<File*>(file);
}
sqlite3_file* real(sqlite3_file* file) {
  return reinterpret_cast<sqlite3_file*>(ours(file) + 1);
}
const sqlite3_io_methods* methods(sqlite3_file* file) {
  return real(file)->pMethods;
}

// The wal-index says up to where the log counts. Without it, the next to come reads the log itself
// and finds every commit that is whole, also one whose sync was said to have failed.
void wipe_index(sqlite3_file* file) {
  constexpr int kRegionBytes = 32 * 1024;
  constexpr int kHeaderBytes = 96;
  void volatile* region = nullptr;
  if (methods(file)->xShmMap(real(file), 0, kRegionBytes, 0, &region) != SQLITE_OK) return;
  if (region != nullptr) std::memset(const_cast<void*>(region), 0, kHeaderBytes);
  methods(file)->xShmUnmap(real(file), 0);  // SQLite had let go of it already.
}

int close(sqlite3_file* file) {
  if (ours(file)->is_database && forget_index.exchange(false)) wipe_index(file);
  return methods(file)->xClose(real(file));
}
int write(sqlite3_file* file, const void* bytes, int size, sqlite3_int64 offset) {
  if (ours(file)->is_log && full) return SQLITE_FULL;
  return methods(file)->xWrite(real(file), bytes, size, offset);
}
int sync(sqlite3_file* file, int flags) {
  const int code = methods(file)->xSync(real(file), flags);
  return ours(file)->is_log && sync_fails.exchange(false) ? SQLITE_IOERR_FSYNC : code;
}

int read(sqlite3_file* f, void* bytes, int size, sqlite3_int64 offset) {
  return methods(f)->xRead(real(f), bytes, size, offset);
}
int truncate(sqlite3_file* f, sqlite3_int64 size) {
  return methods(f)->xTruncate(real(f), size);
}
int file_size(sqlite3_file* f, sqlite3_int64* size) {
  return methods(f)->xFileSize(real(f), size);
}
int lock(sqlite3_file* f, int level) {
  return methods(f)->xLock(real(f), level);
}
int unlock(sqlite3_file* f, int level) {
  return methods(f)->xUnlock(real(f), level);
}
int check_reserved(sqlite3_file* f, int* reserved) {
  return methods(f)->xCheckReservedLock(real(f), reserved);
}
int control(sqlite3_file* f, int what, void* arg) {
  return methods(f)->xFileControl(real(f), what, arg);
}
int sector_size(sqlite3_file* f) {
  return methods(f)->xSectorSize(real(f));
}
int characteristics(sqlite3_file* f) {
  return methods(f)->xDeviceCharacteristics(real(f));
}
int shm_map(sqlite3_file* f, int region, int size, int extend, void volatile** memory) {
  return methods(f)->xShmMap(real(f), region, size, extend, memory);
}
int shm_lock(sqlite3_file* f, int offset, int count, int flags) {
  return methods(f)->xShmLock(real(f), offset, count, flags);
}
void shm_barrier(sqlite3_file* f) {
  methods(f)->xShmBarrier(real(f));
}
int shm_unmap(sqlite3_file* f, int remove) {
  return methods(f)->xShmUnmap(real(f), remove);
}

constexpr sqlite3_io_methods kMethods = {2,
                                         close,
                                         read,
                                         write,
                                         truncate,
                                         sync,
                                         file_size,
                                         lock,
                                         unlock,
                                         check_reserved,
                                         control,
                                         sector_size,
                                         characteristics,
                                         shm_map,
                                         shm_lock,
                                         shm_barrier,
                                         shm_unmap,
                                         nullptr,
                                         nullptr};

int open(sqlite3_vfs*, const char* name, sqlite3_file* file, int flags, int* out_flags) {
  file->pMethods = nullptr;
  ours(file)->is_log = (flags & SQLITE_OPEN_WAL) != 0;
  ours(file)->is_database = (flags & SQLITE_OPEN_MAIN_DB) != 0;
  if (ours(file)->is_database && locked_out) return SQLITE_CANTOPEN;
  const int code = real_vfs()->xOpen(real_vfs(), name, real(file), flags, out_flags);
  if (code == SQLITE_OK) file->pMethods = &kMethods;
  return code;
}

void register_once() {
  static sqlite3_vfs vfs = [] {
    sqlite3_vfs made = *real_vfs();
    made.zName = BreakingDisk::kName;
    made.szOsFile = static_cast<int>(sizeof(File)) + real_vfs()->szOsFile;
    made.pNext = nullptr;
    made.xOpen = open;
    return made;
  }();
  static const int registered = sqlite3_vfs_register(&vfs, 0);
  (void)registered;
}

}  // namespace

void BreakingDisk::repair() {
  register_once();
  full = false;
  sync_fails = false;
  forget_index = false;
  locked_out = false;
}
void BreakingDisk::fill() {
  full = true;
}
void BreakingDisk::fail_sync(Fate fate) {
  forget_index = fate == Fate::landed;
  sync_fails = true;
}
void BreakingDisk::lock_out() {
  locked_out = true;
}

}  // namespace drover::testing
