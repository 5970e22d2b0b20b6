// A TorturedHome is one home whose programs are killed repeatedly: by crash points, by pid, in any
// order. Every request to its daemon is answered, because a dead daemon is replaced; the judge
// checks everything else.
//
// The daemon is our child; cradles and keepers are found by the home in their command line, however
// many there are and whatever their parent is. Requests may come from several threads.
#pragma once

#include <sys/types.h>

#include <atomic>
#include <mutex>
#include <string>
#include <vector>

#include "base/fd.h"
#include "base/home.h"
#include "tests/torture/board.h"
#include "tests/torture/caller.h"

namespace drover::tests {

class TorturedHome {
 public:
  explicit TorturedHome(std::vector<std::string> daemon_options = {});
  ~TorturedHome();  // Kills the remaining programs, and removes the home.
  TorturedHome(const TorturedHome&) = delete;
  TorturedHome& operator=(const TorturedHome&) = delete;

  // Repeats the request until it is answered. Replaces a daemon that has died.
  DaemonAnswer ask(const Request& request);

  // The current or starting daemon. 0: none.
  pid_t daemon() const { return daemon_; }
  bool kill_daemon();    // And waits until it is gone. False: it was dead already.
  bool strike_daemon();  // Without waiting, from another thread, even while it starts.
  void stop_daemon();    // As a person does: it answers and exits cleanly.
  // Applies from the next daemon on.
  void set_daemon_options(std::vector<std::string> options) { options_ = std::move(options); }
  void start_daemon();  // Until one is ready.

  // Cradles and keepers of this home; stopped ones too.
  std::vector<pid_t> cradles() const { return programs(true); }
  std::vector<pid_t> keepers() const { return programs(false); }
  pid_t keeper_of(const std::string& id) const;  // 0: no keeper has signed.
  bool kill_keeper(pid_t keeper);
  bool kill_cradle(pid_t cradle);
  // Waits until no cradle and no keeper is left. They must have no more work.
  void wait_for_programs() const;

  // How many programs died so far, and how many of these deaths may have lost a run's result.
  std::uint32_t deaths() const { return board.deaths() + killed_; }
  std::uint32_t runs_lost() const { return board.runs_lost() + keepers_killed_; }

  const Home& home() const { return home_; }
  std::string file(const std::string& name) const { return root_ + "/" + name; }
  std::string witnesses() const { return root_ + "/witnesses"; }
  std::string daemon_log() const;  // Its last lines.

 private:
  struct StartingDaemon {
    pid_t pid = 0;
    Fd ready;
  };
  StartingDaemon spawn_daemon();
  void revive(int generation);
  void reap_daemon();  // Waits for the dead daemon.
  std::vector<pid_t> programs(bool cradles) const;

  std::string root_;

 public:
  Board board;  // Below root_.

 private:
  Home home_;
  std::vector<std::string> options_;
  std::mutex mutex_;  // Guards starting and replacing daemons.
  std::atomic<pid_t> daemon_ = 0;
  std::atomic<int> generation_ = 0;
  std::atomic<std::uint32_t> killed_ = 0;
  std::atomic<std::uint32_t> keepers_killed_ = 0;
};

// Kills exactly this process; true if it was alive until then.
bool kill_process(pid_t pid);

// How many programs have died in all tortured homes of this process.
std::uint64_t all_deaths();

}  // namespace drover::tests
