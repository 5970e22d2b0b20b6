#include "process/tree.h"

#include <dirent.h>
#include <fcntl.h>
#include <unistd.h>

#include <cctype>
#include <cstdio>
#include <cstdlib>
#include <string>

namespace drover::process {
namespace {

// Calls `each` for every entry that is a number.
template <class Each>
void for_every_number(const char* directory, Each each) {
  DIR* dir = ::opendir(directory);
  if (dir == nullptr) return;
  while (const dirent* entry = ::readdir(dir)) {
    if (std::isdigit(static_cast<unsigned char>(entry->d_name[0])) != 0) {
      each(static_cast<std::int32_t>(std::strtol(entry->d_name, nullptr, 10)));
    }
  }
  ::closedir(dir);
}

Member member_of(std::int32_t pid, const Stat& stat) {
  return {{.pid = pid, .reserved = 0, .start_ticks = stat.start_ticks}, stat};
}

}  // namespace

Presence other_children(std::int32_t except) {
  char path[64];
  std::snprintf(path, sizeof path, "/proc/self/task/%d/children", static_cast<int>(::getpid()));
  const Fd fd = open_file(path, O_RDONLY | O_CLOEXEC);
  char text[64];
  const ssize_t n = fd ? ::read(fd.get(), text, sizeof text - 1) : -1;
  if (n < 0) return Presence::unknown;
  text[n] = '\0';
  char* rest = text;
  for (char* at = text; *at != '\0'; at = rest) {
    const long pid = std::strtol(at, &rest, 10);
    if (rest == at) break;
    if (pid != except) return Presence::somebody;
  }
  return Presence::nobody;
}

ProcessTable ProcessTable::scan() {
  ProcessTable table;
  for_every_number("/proc", [&](std::int32_t pid) {
    if (const auto stat = look_at(pid)) {
      table.by_pid_.emplace(pid, member_of(pid, *stat));
      table.by_parent_.emplace(stat->parent, pid);
    }
  });
  return table;
}

const Member* ProcessTable::find(std::int32_t pid) const {
  const auto at = by_pid_.find(pid);
  return at == by_pid_.end() ? nullptr : &at->second;
}

std::vector<Member> ProcessTable::children(std::int32_t parent) const {
  std::vector<Member> found;
  const auto [begin, end] = by_parent_.equal_range(parent);
  for (auto it = begin; it != end; ++it) found.push_back(by_pid_.at(it->second));
  return found;
}

std::vector<Member> ProcessTable::below(std::int32_t root,
                                        const std::unordered_set<std::int32_t>& skip) const {
  std::vector<Member> found;
  const Member* top = find(root);
  std::vector<ProcessRef> parents{top != nullptr ? top->ref : ProcessRef{.pid = root}};
  std::unordered_set<std::int32_t> seen{root};  // Guards against cycles in a racy scan.
  while (!parents.empty()) {
    const ProcessRef parent = parents.back();
    parents.pop_back();
    for (const Member& child : children(parent.pid)) {
      // Older than its parent: the real parent is gone, and its pid was reused.
      if (child.ref.start_ticks < parent.start_ticks || skip.contains(child.ref.pid)) continue;
      if (!seen.insert(child.ref.pid).second) continue;
      parents.push_back(child.ref);
      if (!is_zombie(child.stat)) found.push_back(child);
    }
  }
  return found;
}

std::vector<Member> descendants(std::int32_t root) {
  return ProcessTable::scan().below(root);
}

std::optional<std::vector<std::int32_t>> child_pids() {
  std::vector<std::int32_t> pids;
  bool is_known = true;
  for_every_number("/proc/self/task", [&](std::int32_t thread) {
    const auto text =
        read_file("/proc/self/task/" + std::to_string(thread) + "/children", 16 * 1024 * 1024);
    is_known = is_known && text.has_value();
    if (!text) return;
    char* rest = nullptr;
    for (const char* at = text->c_str();; at = rest) {
      const auto pid = static_cast<std::int32_t>(std::strtol(at, &rest, 10));
      if (rest == at) return;
      pids.push_back(pid);
    }
  });
  if (!is_known) return std::nullopt;
  return pids;
}

std::vector<Member> own_children() {
  const auto pids = child_pids();
  if (!pids) return ProcessTable::scan().children(::getpid());
  std::vector<Member> found;
  for (const std::int32_t pid : *pids) {
    if (const auto stat = look_at(pid)) found.push_back(member_of(pid, *stat));
  }
  return found;
}

}  // namespace drover::process
