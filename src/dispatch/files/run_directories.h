// RunDirectories creates and removes the files of runs: created before a run is recorded, removed
// after it is deleted. Slow work is done on the janitor's thread, so that the loop never waits for
// a disk.
//
//   runs/<id>.run   the command, and the keeper's journal
//   runs/<id>/      the output, if there is any
//   trash/          both are moved here before the deletion is recorded; after a crash the store
//                   says whether to remove them or to move them back
#pragma once

#include <sys/types.h>

#include <boost/asio/steady_timer.hpp>
#include <boost/asio/thread_pool.hpp>
#include <chrono>
#include <functional>
#include <string>
#include <vector>

#include "base/home.h"
#include "base/id.h"
#include "process/command.h"

namespace drover::dispatch {

namespace asio = boost::asio;

class RunDirectories {
 public:
  // An environment that cannot be removed, for example for lack of descriptors, is tried again.
  static constexpr std::chrono::milliseconds kForgetAgain{5'000};

  explicit RunDirectories(Home home, std::chrono::milliseconds forget_again = kForgetAgain)
      : home_(std::move(home)), forget_again_(forget_again) {}
  ~RunDirectories();

  Result<> create(const RunId& id, const process::Command& command);
  void discard(const RunId& id);             // For a submission that was not recorded.
  void forget_environment(const RunId& id);  // For a finished run (R15).
  // Whether runs/ is another directory than at the first submission: somebody has put a copy in its
  // place. A keeper removes the environment from the file that it has open, which may be another.
  bool are_exchanged();

  Result<> move_to_trash(const RunId& id);
  void bring_back(const RunId& id);
  void empty_trash(const RunId& id);

  // For other slow work.
  asio::thread_pool& janitor() { return janitor_; }

  std::vector<RunId> trash() const;
  // Of all run files and directories, sorted; reads the whole directory.
  std::vector<RunId> all() const;
  // Calls `found` on the janitor's thread with the ids of all run files and directories from
  // `oldest` on.
  void list_since(const RunId& oldest, std::function<void(std::vector<RunId>)> found);

 private:
  // The paths of a run's file and directory below `place`.
  struct Paths {
    std::string file, directory;
    Paths(const std::string& place, const RunId& id)
        : file(place + "/" + id.str() + ".run"), directory(place + "/" + id.str()) {}
  };
  // Those that could not be forgotten yet. On the janitor's thread.
  void forget_rest();
  void forget_later();
  static Result<> remove(const Paths& paths);
  static Result<> move(const Paths& from, const Paths& to);
  Paths run(const RunId& id) const { return {home_.runs(), id}; }
  Paths trashed(const RunId& id) const { return {home_.trash(), id}; }

  Home home_;
  const std::chrono::milliseconds forget_again_;
  ino_t first_ = 0;  // The inode of runs/. 0: not known yet.
  bool are_exchanged_ = false;
  asio::thread_pool janitor_{1};
  // Of the janitor's thread.
  std::vector<RunId> not_forgotten_;
  asio::steady_timer again_{janitor_};
  bool closing_ = false;
};

}  // namespace drover::dispatch
