// A directory lock marks bytes of a directory as in use. A lock file can be deleted while somebody
// has it, and then two processes have "the" lock; a directory that is in use stays the same one.
//
// A directory cannot be opened for writing, so the lock is a read lock, and several processes can
// have it. Take it first, then look for others: of two processes that do so, at least one sees the
// other. `flock` is not used, because scripts lock their directory with it (`flock . make`).
#pragma once

#include "base/fd.h"

namespace drover {

// Locks one byte, close-on-exec. Empty: the directory cannot be opened, or its file system has no
// such locks.
Fd lock_directory(const char* path, off_t byte);

// The first of these bytes that another descriptor has locked; -1: none, or unknown.
off_t locked_by_others(int directory, off_t first, off_t count);

}  // namespace drover
