#include "process/tree.h"

#include <dirent.h>
#include <fcntl.h>
#include <unistd.h>

#include <cctype>
#include <cstdio>
#include <cstdlib>
#include <unordered_map>
#include <unordered_set>

#include "base/limits.h"

namespace drover::process {
namespace {

// Calls `each(pid)` for every process there is.
template <class Each>
void for_every_process(Each each) {
  DIR* dir = ::opendir("/proc");
  if (dir == nullptr) return;
  while (const dirent* entry = ::readdir(dir)) {
    if (std::isdigit(static_cast<unsigned char>(entry->d_name[0])) != 0) {
      each(static_cast<std::int32_t>(std::strtol(entry->d_name, nullptr, 10)));
    }
  }
  ::closedir(dir);
}

}  // namespace

Presence other_children(std::int32_t except) {
  char path[64];
  std::snprintf(path, sizeof path, "/proc/self/task/%d/children", static_cast<int>(::getpid()));
  const Fd fd(::open(path, O_RDONLY | O_CLOEXEC));
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

std::vector<Member> descendants(std::int32_t root) {
  std::unordered_multimap<std::int32_t, Member> by_parent;
  for_every_process([&](std::int32_t pid) {
    if (const auto stat = look_at(pid)) {
      by_parent.emplace(
          stat->parent,
          Member{{.pid = pid, .reserved = 0, .start_ticks = stat->start_ticks}, *stat});
    }
  });
  std::vector<Member> found;
  std::vector<ProcessRef> parents{ref_of(root)};
  std::unordered_set<std::int32_t> seen{root};  // Guards against cycles in a racy scan.
  while (!parents.empty()) {
    const ProcessRef parent = parents.back();
    parents.pop_back();
    const auto [begin, end] = by_parent.equal_range(parent.pid);
    for (auto it = begin; it != end; ++it) {
      // Older than its parent: the real parent is gone, and its pid was reused.
      if (it->second.ref.start_ticks < parent.start_ticks) continue;
      if (!seen.insert(it->second.ref.pid).second) continue;
      parents.push_back(it->second.ref);
      if (it->second.stat.state != 'Z' && it->second.stat.state != 'X') found.push_back(it->second);
    }
  }
  return found;
}

std::vector<std::pair<Member, std::string>> marked_by_name(std::string_view name) {
  std::vector<std::pair<Member, std::string>> found;
  const std::string wanted = '\0' + std::string(name) + '=';
  for_every_process([&](std::int32_t pid) {
    // Read its identity first: if its pid is reused meanwhile, the new process is not signaled.
    const auto stat = look_at(pid);
    if (!stat || stat->state == 'Z') return;
    char path[32];
    std::snprintf(path, sizeof path, "/proc/%d/environ", pid);
    const auto environment = read_file(path, 4 * limits::kSpecBytesMax);
    if (!environment) return;
    const std::string text = '\0' + *environment;
    const size_t at = text.find(wanted);
    if (at == std::string::npos) return;
    found.emplace_back(Member{{.pid = pid, .reserved = 0, .start_ticks = stat->start_ticks}, *stat},
                       text.c_str() + at + wanted.size());
  });
  return found;
}

std::vector<Member> marked(std::string_view mark) {
  const size_t equals = mark.find('=');
  std::vector<Member> found;
  for (auto& [member, value] : marked_by_name(mark.substr(0, equals))) {
    if (value == mark.substr(equals + 1)) found.push_back(member);
  }
  return found;
}

}  // namespace drover::process
