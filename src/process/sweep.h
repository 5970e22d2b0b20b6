// A sweep ends everything a command started: TERM, a grace, KILL, again and again until the kernel
// says that there is no child left (ECHILD). It walks all descendants, also those that left the
// group, and remembers for the receipt what it did.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "base/journal.h"
#include "process/tree.h"

namespace drover::process {

class Sweep {
 public:
  // The command's leader must not be reaped while its group is to be signalled.
  void lead(std::int32_t leader) { leader_ = leader; }
  void leader_is_reaped() { leader_reaped_ = true; }
  bool is_leader_reaped() const { return leader_reaped_; }

  // TERM to the group and to every other descendant, then CONT, so that the stopped can obey.
  void terminate(std::int64_t wall_ms);
  // KILL, the same way.
  void kill(std::int64_t wall_ms);

  // Counts what outlived the command, at the moment its leader has exited.
  void count_orphans(const std::vector<Member>& members);
  // Names what could not be ended.
  void count_survivors();
  void write_to(EndingRecord& ending) const;

  bool has_terminated() const { return receipt_.term_wall_ms != 0; }
  bool has_killed() const { return receipt_.kill_wall_ms != 0; }

  std::int64_t kill_at = 0;     // When TERM has had its grace; 0: not set. Monotonic ns.
  std::int64_t give_up_at = 0;  // When KILL has had its time.

 private:
  void signal_all(int signal, bool remember);

  std::int32_t leader_ = 0;
  bool leader_reaped_ = false;
  EndingRecord receipt_;
  std::vector<ProcessRef> signalled_;
};

// Kills everything whose environment holds `mark`, for when no keeper is left to do it; waits until
// it is gone. Returns what would not go within the bound.
std::vector<Member> kill_marked(std::string_view mark);

}  // namespace drover::process
