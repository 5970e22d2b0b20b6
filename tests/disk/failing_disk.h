// A FailingDisk stands between programs and their files, and fails like a disk that is full, broken
// or read-only: for one directory, when told to, and works again when told to.
//
//   test ──within──> droverd, drover-keeper, commands
//     ^                        │ "may I write this?"
//     └────────────────────────┘
//
// Programs that are started within it ask before each call that changes a file (seccomp's user
// notification), and so do theirs. It needs no privilege, no mount and no library in the program,
// so it works for static programs, for any user, and in a container; where a kernel refuses it all
// the same, the test fails. As on a real full disk, what overwrites blocks that a file has already
// is let through, and what needs a new one is not.
//
// It must outlive what was started within it. Any thread.
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
  full,       // ENOSPC for whatever needs room.
  crammed,    // ENOSPC for every write: a full file system that copies on write.
  broken,     // EIO for every write, sync and new file.
  read_only,  // EROFS for every way to change something.
};

// A call that waits for our word.
struct Question {
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

  // What is below `directory` stands on this disk.
  void holds(const std::string& directory);
  // Calls `start` on a thread of its own: what it starts uses this disk.
  void within(const std::function<void()>& start);

  // From the n-th call on that can fail like that, until it is repaired. 1: the next.
  void fail(Trouble trouble, int n = 1);
  void repair();
  // How many calls were refused since `fail`.
  int refusals() const;
  // Readable once a call was refused since `fail`.
  int refusal_fd() const { return refused_.get(); }

 private:
  void listen(const Fd& listener);
  int answer(const Question& question);

  std::string directory_;
  mutable std::mutex mutex_;
  Trouble trouble_ = Trouble::full;
  int countdown_ = 0;  // 0: it works.
  int refusals_ = 0;
  Fd refused_, stop_;
  std::vector<std::thread> listeners_;
};

}  // namespace drover::tests
