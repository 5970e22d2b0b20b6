#include "process/cgroup_search.h"

#include "base/fnv.h"
#include "process/cgroup_files.h"
#include "process/cgroup_place.h"
#include "process/pid_ref.h"

namespace drover::process {
namespace {

constexpr int kDepthMax = 16;
constexpr size_t kCgroupsMax = 20'000;  // Some milliseconds; a busy machine has hundreds.

void search(const std::string& directory, const std::string& wanted, int depth, size_t& looked_at,
            std::vector<std::string>& found) {
  for (const std::string& name : cgroups_in(directory)) {
    if (++looked_at > kCgroupsMax) return;
    const std::string below = directory + "/" + name;
    if (name == wanted) {
      found.push_back(below);
    } else if (depth < kDepthMax && !name.starts_with("drover-")) {
      search(below, wanted, depth + 1, looked_at, found);
    }
  }
}

}  // namespace

std::string place_name(std::string_view state) {
  const std::uint64_t hash = fnv(state);
  std::string out;
  for (int shift = 28; shift >= 0; shift -= 4) out += "0123456789abcdef"[hash >> shift & 15];
  return out;
}

std::vector<std::string> find_places(const std::string& root, std::string_view name) {
  std::vector<std::string> found;
  size_t looked_at = 0;
  if (!root.empty()) search(root, "drover-" + std::string(name), 0, looked_at, found);
  return found;
}

bool is_populated(const std::string& cgroup) {
  return number_of(read_text(cgroup + "/cgroup.events"), "populated") != 0;
}

bool is_keeper_of(std::int32_t pid, const std::string& place) {
  const auto stat = look_at(pid);
  if (!stat || std::string_view(stat->name) != "drover-keeper") return false;
  // Its last argument is the place (cmd/drover-keeper.cc).
  std::string words = read_text("/proc/" + std::to_string(pid) + "/cmdline");
  while (words.ends_with('\0')) words.pop_back();
  const size_t last = words.rfind('\0');
  return last == std::string::npos || words.substr(last + 1) == place;
}

}  // namespace drover::process
