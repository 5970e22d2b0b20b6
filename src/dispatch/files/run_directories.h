// RunDirectories creates and removes the files of runs: created before a run is recorded, removed
// after it is deleted. Slow work is done on the janitor's thread, so that the loop never waits for
// a disk.
//
//   runs/<id>.run   the command, and the keeper's journal
//   runs/<id>/      the output, if there is any
//   trash/          both are moved here before the deletion is recorded; after a crash the store
//                   says whether to remove them or to move them back
#pragma once

#include <boost/asio/thread_pool.hpp>
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
  explicit RunDirectories(Home home) : home_(std::move(home)) {}
  ~RunDirectories() { janitor_.join(); }

  Result<> create(const RunId& id, const process::Command& command);
  void discard(const RunId& id);             // For a submission that was not recorded.
  void forget_environment(const RunId& id);  // For a finished run (R15).

  Result<> move_to_trash(const RunId& id);
  void bring_back(const RunId& id);
  void empty_trash(const RunId& id);

  // For other slow work.
  asio::thread_pool& janitor() { return janitor_; }

  std::vector<RunId> trash() const;
  // Of all run files and directories, sorted; reads the whole directory.
  std::vector<RunId> all() const;
  // Calls `found` on the janitor's thread with the ids of all run files and
  // directories from `oldest` on.
  void list_since(const RunId& oldest, std::function<void(std::vector<RunId>)> found);

 private:
  // The paths of a run's file and directory below `place`.
  struct Paths {
    std::string file, directory;
    Paths(const std::string& place, const RunId& id)
        : file(place + "/" + id.str() + ".run"), directory(place + "/" + id.str()) {}
  };
  static Result<> remove(const Paths& paths);
  static Result<> move(const Paths& from, const Paths& to);
  Paths run(const RunId& id) const { return {home_.runs(), id}; }
  Paths trashed(const RunId& id) const { return {home_.trash(), id}; }

  Home home_;
  asio::thread_pool janitor_{1};
};

}  // namespace drover::dispatch
