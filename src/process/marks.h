// Marks are inherited by the processes of a command, which can be recognized by them when its
// keeper is dead: a variable in the environment, the process session of the command, the pipes (or
// the terminal) of its output, its cgroup. A process can shed each of them; one is enough.
//
// The variable, the process session and the cgroup are passed on by fork alone. A descriptor can
// also be passed to an unrelated process, or be opened by one. So a process whose only mark is the
// output counts only if the output is its own standard output or error, and if it belongs to this
// user, started after the command, and has lost its parent.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "process/tree.h"

namespace drover::process {

// The marks of one command.
struct Marks {
  std::string value;         // Of the variable.
  std::int32_t command = 0;  // Its pid, and the number of its process session. 0: unknown.
  MarksRecord record = {};   // All 0: unknown, as for older keepers.
};
Marks marks_of(std::string value, const JournalText& journal);

// The mark by which a process was recognized; `below`: it is a descendant of a marked process.
enum class Sign : std::uint8_t { environment, session, output, cgroup, below };
// "has its environment", to explain a MarkedProcess.
std::string_view name(Sign sign);

struct MarkedProcess {
  Member member;
  std::string value;  // Of the command's variable.
  Sign sign;
};

struct MarkSearch {
  std::string_view variable;
  std::span<const Marks> marks;
  // Processes that are never found, nor anything below them; this process and its ancestors are
  // always among them. The same for all processes of the process sessions.
  std::vector<std::int32_t> spared_processes = {};
  std::vector<std::int32_t> spared_sessions = {};
  bool any_value = false;   // Also processes with other values of the variable.
  bool any_parent = false;  // Also those with the output that have not lost their parent.
};

// The living processes that carry a mark, with all of their descendants. Reads every process once,
// however many commands there are. Sends no signals.
std::vector<MarkedProcess> find_marked(const MarkSearch& search,
                                       const ProcessTable& table = ProcessTable::scan());

// Every process with that variable, and its value.
std::vector<std::pair<Member, std::string>> marked_by_name(std::string_view variable);

}  // namespace drover::process
