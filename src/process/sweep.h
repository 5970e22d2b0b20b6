// A sweep kills everything that a command started: TERM, a grace, KILL, repeatedly until the kernel
// reports that no child is left (ECHILD). It walks all descendants, also those that left the group,
// and records for the receipt what it did.
#pragma once

#include <cstdint>
#include <vector>

#include "base/journal.h"
#include "process/marks.h"
#include "process/tree.h"

namespace drover::process {

class Sweep {
 public:
  // The leader must not be reaped before its group is signaled for the last time.
  void lead(std::int32_t leader) { leader_ = leader; }
  void leader_is_reaped() { leader_reaped_ = true; }
  bool is_leader_reaped() const { return leader_reaped_; }

  // Sends TERM to the group and to every other descendant, then CONT, so that stopped ones can
  // handle it.
  void terminate(std::int64_t wall_ms);
  // The same with KILL.
  void kill(std::int64_t wall_ms);

  // Counts the processes that outlived the command; called when its leader has exited.
  void count_orphans(const std::vector<Member>& members);
  // Names the processes that could not be killed. At least one is left, perhaps unnamed.
  void count_survivors();
  void write_to(EndingRecord& ending) const;

  bool has_terminated() const { return receipt_.term_wall_ms != 0; }
  bool has_killed() const { return receipt_.kill_wall_ms != 0; }

  std::int64_t kill_at = 0;     // When the grace after TERM is over; 0: not set. Monotonic ns.
  std::int64_t give_up_at = 0;  // When to stop waiting after KILL.

 private:
  void signal_all(int signal, bool remember);

  std::int32_t leader_ = 0;
  bool leader_reaped_ = false;
  EndingRecord receipt_;
  std::vector<ProcessRef> signaled_;
};

// Kills every process that the search finds, for commands without a keeper, and waits until they
// are gone. Returns those that may not be signaled or did not exit within the bound.
std::vector<MarkedProcess> kill_marked(const MarkSearch& search);

}  // namespace drover::process
