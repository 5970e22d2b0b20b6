// The ProjectLock lets one play of a project run at a time, also across daemons and homes (P6). The
// kernel drops a lock with the process that has it, so a file that a dead daemon left blocks
// nobody.
//
// The file is .drover/play.lock in the project. The daemon locks its byte 0 for as long as it plays
// the project. The keeper of each step and of the runtime locks byte 1 (process/command.h): that
// lock stays if the daemon is killed and the command continues. Both lock the same byte of the
// project's root directory too (base/directory_lock.h), which stays if the file is deleted. The
// file's text names the daemon; it is only used in messages.
#pragma once

#include <string>
#include <string_view>

#include "base/fd.h"
#include "base/result.h"

namespace drover::play {

inline constexpr std::string_view kPlayedElsewhere = "played_elsewhere";
inline constexpr std::string_view kNotLockable = "project_not_lockable";

std::string project_lock_file(const std::string& root);

class ProjectLock {
 public:
  // `home` is the state directory of this daemon. Fails with `played_elsewhere` if another daemon
  // or the keeper of another play has a lock, and with `project_not_lockable` if there cannot be a
  // lock: .drover is not writable, is a link, or its file system has no locks.
  static Result<ProjectLock> take(const std::string& root, const std::string& home);
  // For a play that an earlier daemon of this home began: its own command may be running.
  static Result<ProjectLock> take_again(const std::string& root, const std::string& home);

  // Locks a new file if the file was deleted or replaced. Fails as `take` does. The project stays
  // locked meanwhile if its root directory can be locked.
  Result<> renew();

 private:
  ProjectLock(std::string root, std::string home)
      : root_(std::move(root)), home_(std::move(home)) {}
  Result<> lock(bool again);
  bool is_in_place() const;

  std::string root_;
  std::string home_;
  Fd file_;
  Fd directory_;  // The root; empty: it cannot be locked.
};

// The errors of `take`, without taking the lock. For a project that this daemon does not play.
Result<> check_not_played_elsewhere(const std::string& root);

}  // namespace drover::play
