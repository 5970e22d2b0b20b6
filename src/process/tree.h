// The tree of a process: everything it started that is still there. Reads /proc; signals nobody.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "process/pid_ref.h"

namespace drover::process {

struct Member {
  ProcessRef ref;
  Stat stat;
};

enum class Presence : std::uint8_t { nobody, somebody, unknown };

// Whether this process has a child other than `except`. `unknown` where /proc cannot tell.
Presence other_children(std::int32_t except);

// All living descendants of `root`, not only those that reparented to it. Zombies are left out.
std::vector<Member> descendants(std::int32_t root);

// Everything of ours whose environment holds `mark` ("NAME=value"): the last resort for finding
// what a run left behind when both its keeper and its cradle are gone.
std::vector<Member> marked(std::string_view mark);

// The same for whatever value the variable `name` has: each process with that value.
std::vector<std::pair<Member, std::string>> marked_by_name(std::string_view name);

}  // namespace drover::process
