// A Trial is one home whose programs are killed again and again: by a board of crash points, by
// pid, in any order. Whoever asks something of its daemon gets an answer, because a dead one is
// replaced; everything else is for the judge to find.
//
// The daemon is our child; cradles and keepers are found by the home in their command line, however
// many there are and whoever their parent is. Asking is safe from several threads.
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

class Trial {
 public:
  explicit Trial(std::vector<std::string> daemon_options = {});
  ~Trial();  // Kills what is left, and takes the home away.
  Trial(const Trial&) = delete;
  Trial& operator=(const Trial&) = delete;

  // Until it is answered. Whatever dies on the way is buried, and the next daemon started.
  Answer ask(const Question& question);

  // The daemon that answers, or that comes up. 0: none.
  pid_t daemon() const { return daemon_; }
  bool kill_daemon();    // And waits until it is gone. False: it was dead already.
  bool strike_daemon();  // The same at once, from another thread, even while it comes up.
  void stop_daemon();    // As a person would: with an answer, and in order.
  // From the next one on.
  void set_daemon_options(std::vector<std::string> options) { options_ = std::move(options); }
  void start_daemon();  // Until one is ready.

  // Cradles and keepers of this home; stopped ones too.
  std::vector<pid_t> cradles() const { return programs(true); }
  std::vector<pid_t> keepers() const { return programs(false); }
  pid_t keeper_of(const std::string& id) const;  // 0: nobody has signed.
  bool kill_keeper(pid_t keeper);
  bool kill_cradle(pid_t cradle);
  // Until no cradle and no keeper is left. They must have nothing more to do.
  void wait_for_programs() const;

  // How many died so far, and how many of them may have cost a run the word of its end.
  std::uint32_t deaths() const { return board.deaths() + killed_; }
  std::uint32_t runs_lost() const { return board.runs_lost() + keepers_killed_; }

  const Home& home() const { return home_; }
  std::string file(const std::string& name) const { return root_ + "/" + name; }
  std::string witnesses() const { return root_ + "/witnesses"; }
  std::string daemon_log() const;  // Its last lines.

 private:
  struct Coming {
    pid_t pid = 0;
    Fd ready;
  };
  Coming spawn_daemon();
  void revive(int generation);
  void bury();  // Waits for the daemon's end.
  std::vector<pid_t> programs(bool cradles) const;

  std::string root_;

 public:
  Board board;  // Below root_.

 private:
  Home home_;
  std::vector<std::string> options_;
  std::mutex mutex_;  // Over the coming and going of daemons.
  std::atomic<pid_t> daemon_ = 0;
  std::atomic<int> generation_ = 0;
  std::atomic<std::uint32_t> killed_ = 0;
  std::atomic<std::uint32_t> keepers_killed_ = 0;
};

// Kills the very process; true if it was alive until then.
bool kill_process(pid_t pid);

// How many programs have died in all trials of this process.
std::uint64_t all_deaths();

}  // namespace drover::tests
