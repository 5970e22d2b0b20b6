// The tree of a process: all of its living descendants. Reads /proc; sends no signals.
#pragma once

#include <cstdint>
#include <optional>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "process/pid_ref.h"

namespace drover::process {

struct Member {
  ProcessRef ref;
  Stat stat;
};

inline bool is_zombie(const Stat& stat) {
  return stat.state == 'Z' || stat.state == 'X';
}

enum class Presence : std::uint8_t { nobody, somebody, unknown };

// Whether this process has a child other than `except`. `unknown` if /proc cannot tell.
Presence other_children(std::int32_t except);

// All processes that there are, from one scan of /proc.
class ProcessTable {
 public:
  static ProcessTable scan();

  // Null: there is no such process.
  const Member* find(std::int32_t pid) const;
  const std::unordered_map<std::int32_t, Member>& all() const { return by_pid_; }
  std::vector<Member> children(std::int32_t parent) const;  // With zombies.
  // All living descendants of `root`. Zombies are left out. `skip` names processes that are left
  // out together with everything below them.
  std::vector<Member> below(std::int32_t root,
                            const std::unordered_set<std::int32_t>& skip = {}) const;

 private:
  std::unordered_map<std::int32_t, Member> by_pid_;
  std::unordered_multimap<std::int32_t, std::int32_t> by_parent_;
};

// The pids of the children of this process, of all of its threads, with zombies. Nothing: the
// kernel does not list them.
std::optional<std::vector<std::int32_t>> child_pids();
// These children, each with its stat.
std::vector<Member> own_children();

// All living descendants of `root`, not only those that were reparented to it. Zombies are left
// out.
std::vector<Member> descendants(std::int32_t root);

}  // namespace drover::process
