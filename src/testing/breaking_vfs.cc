#include "testing/breaking_vfs.h"

#include <sqlite3.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <string_view>

namespace drover::testing {
namespace {

sqlite3_vfs* real_vfs() {
  static sqlite3_vfs* const vfs = sqlite3_vfs_find("unix");
  return vfs;
}

// The real file follows ours in the memory that SQLite allocates.
struct File {
  sqlite3_file base;
  FileName* name;
};
const FileName& name_of(sqlite3_file* file) {
  return *reinterpret_cast<File*>(file)->name;
}
sqlite3_file* real(sqlite3_file* file) {
  return reinterpret_cast<sqlite3_file*>(reinterpret_cast<File*>(file) + 1);
}
const sqlite3_io_methods* methods(sqlite3_file* file) {
  return real(file)->pMethods;
}

// The code that SQLite gets, and the errno that it finds.
int code_of(Fault fault, int io_error) {
  const bool full =
      fault == Fault::full || fault == Fault::short_write || fault == Fault::late_full;
  errno = full ? ENOSPC : EIO;
  return full && io_error == SQLITE_IOERR_WRITE ? SQLITE_FULL : io_error;
}

// The wal-index says where the valid WAL ends. Without it, the next connection reads the WAL itself
// and finds every complete commit, even one whose sync was reported as failed.
void wipe_index(sqlite3_file* file) {
  constexpr int kRegionBytes = 32 * 1024;
  constexpr int kHeaderBytes = 96;
  void volatile* region = nullptr;
  if (methods(file)->xShmMap(real(file), 0, kRegionBytes, 0, &region) != SQLITE_OK) return;
  if (region != nullptr) std::memset(const_cast<void*>(region), 0, kHeaderBytes);
  methods(file)->xShmUnmap(real(file), 0);  // SQLite has unmapped it already.
}

int close(sqlite3_file* file) {
  if (name_of(file).is_database && spoil_index()) wipe_index(file);
  delete reinterpret_cast<File*>(file)->name;
  return methods(file)->xClose(real(file));
}

int read(sqlite3_file* f, void* bytes, int size, sqlite3_int64 offset) {
  if (const auto fault = count_call(Call::read, name_of(f)))
    return code_of(*fault, SQLITE_IOERR_READ);
  return methods(f)->xRead(real(f), bytes, size, offset);
}

int write(sqlite3_file* f, const void* bytes, int size, sqlite3_int64 offset) {
  const auto fault = count_call(Call::write, name_of(f));
  if (fault && *fault != Fault::short_write) return code_of(*fault, SQLITE_IOERR_WRITE);
  const int part = fault ? size / 2 : size;
  const int code = methods(f)->xWrite(real(f), bytes, part, offset);
  if (code != SQLITE_OK) return code;
  const std::string_view text(static_cast<const char*>(bytes), static_cast<size_t>(part));
  note([&](DiskImage& image) { image.write(name_of(f).path, offset, text); });
  return fault ? code_of(*fault, SQLITE_IOERR_WRITE) : SQLITE_OK;
}

int truncate(sqlite3_file* f, sqlite3_int64 size) {
  if (const auto fault = count_call(Call::truncate, name_of(f))) {
    return code_of(*fault, SQLITE_IOERR_TRUNCATE);
  }
  const int code = methods(f)->xTruncate(real(f), size);
  if (code == SQLITE_OK) note([&](DiskImage& image) { image.truncate(name_of(f).path, size); });
  return code;
}

int sync(sqlite3_file* f, int flags) {
  if (const auto fault = count_call(Call::sync, name_of(f)))
    return code_of(*fault, SQLITE_IOERR_FSYNC);
  const int code = methods(f)->xSync(real(f), flags);
  if (name_of(f).is_wal && spoil_wal_sync()) return code_of(Fault::io_error, SQLITE_IOERR_FSYNC);
  if (code == SQLITE_OK) note_sync(name_of(f).path);
  return code;
}

int file_size(sqlite3_file* f, sqlite3_int64* size) {
  if (const auto fault = count_call(Call::look, name_of(f)))
    return code_of(*fault, SQLITE_IOERR_FSTAT);
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
  if (const auto fault = count_call(Call::share, name_of(f))) {
    return code_of(*fault, SQLITE_IOERR_SHMMAP);
  }
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

int open(sqlite3_vfs*, const char* path, sqlite3_file* file, int flags, int* out_flags) {
  file->pMethods = nullptr;
  const FileName name{.path = path == nullptr ? "" : path,
                      .is_database = (flags & SQLITE_OPEN_MAIN_DB) != 0,
                      .is_wal = (flags & SQLITE_OPEN_WAL) != 0};
  // Temporary files have no name.
  const bool is_new = path == nullptr || ::access(path, F_OK) != 0;
  const bool creates = (flags & SQLITE_OPEN_CREATE) != 0 && is_new;
  if (const auto fault = count_call(creates ? Call::create : Call::open, name)) {
    return code_of(*fault, SQLITE_CANTOPEN);
  }
  note([&](DiskImage& image) { image.open(name.path); });
  const int code = real_vfs()->xOpen(real_vfs(), path, real(file), flags, out_flags);
  if (code != SQLITE_OK) return code;
  reinterpret_cast<File*>(file)->name = new FileName(name);
  file->pMethods = &kMethods;
  return code;
}

int remove(sqlite3_vfs*, const char* path, int sync_directory) {
  if (const auto fault = count_call(Call::remove, {.path = path})) {
    return code_of(*fault, SQLITE_IOERR_DELETE);
  }
  const int code = real_vfs()->xDelete(real_vfs(), path, sync_directory);
  if (code != SQLITE_OK) return code;
  note([&](DiskImage& image) { image.remove(path); });
  if (sync_directory != 0) note_sync(path);
  return code;
}

int access(sqlite3_vfs*, const char* path, int flags, int* answer) {
  if (const auto fault = count_call(Call::look, {.path = path})) {
    return code_of(*fault, SQLITE_IOERR_ACCESS);
  }
  return real_vfs()->xAccess(real_vfs(), path, flags, answer);
}

}  // namespace

void register_vfs(const char* name) {
  static sqlite3_vfs vfs = [&] {
    sqlite3_vfs made = *real_vfs();
    made.zName = name;
    made.szOsFile = static_cast<int>(sizeof(File)) + real_vfs()->szOsFile;
    made.pNext = nullptr;
    made.xOpen = open;
    made.xDelete = remove;
    made.xAccess = access;
    return made;
  }();
  static const int registered = sqlite3_vfs_register(&vfs, 0);
  (void)registered;
}

}  // namespace drover::testing
