// Leftovers are what a daemon that died left on disk: directories in the trash, run files without a
// record, cgroups of dead keepers, environments of finished runs. Cleaning up never reads the whole
// history. Lives on the daemon's loop.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/id.h"
#include "dispatch/files/run_directories.h"
#include "dispatch/host.h"

namespace drover::dispatch {

class Leftovers {
 public:
  // Everything borrowed must outlive it. Ids from `born` on were created by this daemon. `cgroups`
  // is the directory of the runs' cgroups, or empty.
  Leftovers(const Host& host, RunDirectories& directories, const RunId& born, std::string cgroups)
      : host_(host), directories_(directories), born_(born), cgroups_(std::move(cgroups)) {}

  // Undoes a deletion that was not recorded; completes one that was (R8).
  // `store` is read on the loop: no door is open yet.
  Result<> sort_trash(store::Reads& store);

  // Clears everything else, most of it after the doors are open. `active` are the runs whose files
  // are still in use. Reads the newest record and event of the previous daemon from `store` at
  // once: later, those of new runs come after them.
  void clear(const std::vector<run::Record>& active, store::Reads& store);

 private:
  void clear_files(store::Reads& store);
  asio::awaitable<void> look_at_files(std::vector<RunId> found);
  void clear_away(const RunId& id);
  std::vector<std::string> stray_cgroups(const std::vector<run::Record>& active) const;
  asio::awaitable<void> clear_cgroups(std::vector<std::string> strays);
  void forget_environments(store::Reads& store);
  asio::awaitable<void> forget_older(std::int64_t newest, std::optional<WallMs> since);
  bool forget_page(const std::vector<run::Event>& events, std::int64_t end,
                   std::optional<WallMs>& since);

  const Host& host_;
  RunDirectories& directories_;
  const RunId born_;
  std::string cgroups_;
};

}  // namespace drover::dispatch
