#include "base/directory_lock.h"

#include <fcntl.h>

namespace drover {
namespace {

struct flock bytes(short type, off_t first, off_t count) {
  struct flock out{};
  out.l_type = type;
  out.l_whence = SEEK_SET;
  out.l_start = first;
  out.l_len = count;
  return out;
}

}  // namespace

Fd lock_directory(const char* path, off_t byte) {
  Fd directory = open_file(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  struct flock wanted = bytes(F_RDLCK, byte, 1);
  if (!directory || ::fcntl(directory.get(), F_OFD_SETLK, &wanted) != 0) return {};
  return directory;
}

// Asks as if to write: every read lock is in the way of that.
off_t locked_by_others(int directory, off_t first, off_t count) {
  for (off_t byte = first; byte < first + count; ++byte) {
    struct flock wanted = bytes(F_WRLCK, byte, 1);
    if (::fcntl(directory, F_OFD_GETLK, &wanted) == 0 && wanted.l_type != F_UNLCK) return byte;
  }
  return -1;
}

}  // namespace drover
