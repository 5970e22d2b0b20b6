// A FailingDisk sits between programs and their files, and fails like a disk that is full, broken
// or read-only: for one directory, from `fail` on until it is repaired.
//
//   test ──within──> droverd, drover-keeper, commands
//     ^                        │ "may I write this?"
//     └────────────────────────┘
//
// Programs started within it, and their children, ask before each call that changes a file
// (seccomp's user notification). It needs no privilege, no mount and no library in the program, so
// it works for static programs, for any user, and in a container; if a kernel does not support it,
// the test fails. As on a real full disk, overwriting existing blocks of a file succeeds, and a
// call that needs a new block fails.
//
// It must outlive the programs started within it. Any thread.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <functional>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "base/fd.h"

namespace drover::tests {

enum class Trouble : std::uint8_t {
  full,       // ENOSPC for calls that need space.
  crammed,    // ENOSPC for every write: a full file system that copies on write.
  broken,     // EIO for every write, sync and new file.
  read_only,  // EROFS for every change.
};

// A call that waits for our decision.
struct PendingCall {
  pid_t pid = 0;
  int call = 0;
  const std::uint64_t* arguments = nullptr;
};

class FailingDisk {
 public:
  FailingDisk();
  ~FailingDisk();
  FailingDisk(const FailingDisk&) = delete;
  FailingDisk& operator=(const FailingDisk&) = delete;

  // Everything below `directory` is on this disk.
  void holds(const std::string& directory);
  // Calls `start` on a thread of its own: programs that it starts use this disk.
  void within(const std::function<void()>& start);

  // Fails from the n-th call on that can fail in this way, until it is repaired. 1: the next.
  void fail(Trouble trouble, int n = 1);
  void repair();
  // How many calls were refused since `fail`.
  int refusals() const;
  // Readable once a call was refused since `fail`.
  int refusal_fd() const { return refused_.get(); }

 private:
  void listen(const Fd& listener);
  int answer(const PendingCall& call);

  std::string directory_;
  mutable std::mutex mutex_;
  Trouble trouble_ = Trouble::full;
  int countdown_ = 0;  // 0: it works.
  int refusals_ = 0;
  Fd refused_, stop_;
  std::vector<std::thread> listeners_;
};

}  // namespace drover::tests
