// The tree of a process: all of its living descendants. Reads /proc; sends no signals.
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

// Whether this process has a child other than `except`. `unknown` if /proc cannot tell.
Presence other_children(std::int32_t except);

// All living descendants of `root`, not only those that were reparented to it. Zombies are left
// out.
std::vector<Member> descendants(std::int32_t root);

// Every process of this user whose environment contains `mark` ("NAME=value"): the last resort for
// finding what a run left behind when both its keeper and its cradle are gone.
std::vector<Member> marked(std::string_view mark);

// The same for any value of the variable `name`: each process with that value.
std::vector<std::pair<Member, std::string>> marked_by_name(std::string_view name);

}  // namespace drover::process
