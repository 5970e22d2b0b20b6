#include "process/cgroup_place.h"

#include <dirent.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <cstring>

#include "process/cgroup_files.h"
#include "process/pid_ref.h"

namespace drover::process {
namespace {

constexpr const char* kLeaf = "daemon";
constexpr std::string_view kKeeperPrefix = "keeper-";

std::string enabling(const Controllers& c) {
  std::string out;
  for (const auto& [has, word] : {std::pair(c.memory, " +memory"), std::pair(c.cpu, " +cpu"),
                                  std::pair(c.pids, " +pids"), std::pair(c.io, " +io")}) {
    if (has) out += word;
  }
  return out.empty() ? out : out.substr(1);
}

bool enable(const std::string& directory, const Controllers& wanted) {
  const Controllers now = parse_controllers(read_text(directory + "/cgroup.subtree_control"));
  const bool all = (now.memory || !wanted.memory) && (now.cpu || !wanted.cpu) &&
                   (now.pids || !wanted.pids) && (now.io || !wanted.io);
  return all || write_text(directory + "/cgroup.subtree_control", enabling(wanted));
}

bool is_drover(std::int32_t pid) {
  const auto stat = look_at(pid);
  if (!stat) return false;
  const std::string_view name(stat->name);
  return pid == ::getpid() || name == "droverd" || name == "drover-keeper";
}

// A cgroup with children cannot have processes: ours move into a leaf.
void move_processes_to_leaf(const std::string& directory) {
  const std::string leaf = directory + "/" + kLeaf;
  ::mkdir(leaf.c_str(), 0700);
  for_each_word(read_text(directory + "/cgroup.procs"), [&](std::string_view word) {
    std::int32_t pid = 0;
    std::from_chars(word.data(), word.data() + word.size(), pid);
    if (is_drover(pid)) write_text(leaf + "/cgroup.procs", word);
  });
}

// Returns why they cannot be used; empty: they are.
std::string use_controllers(const std::string& base, const std::string& place,
                            const Controllers& there) {
  if (!there.any()) return base + " offers none of the controllers memory, cpu and pids";
  if (!enable(base, there)) {
    move_processes_to_leaf(base);
    if (!enable(base, there)) {
      return base + " cannot have children with limits: " + std::strerror(errno) +
             (errno == EBUSY ? " (other processes are in it)" : "");
    }
  }
  if (!enable(place, there)) {
    return place + " cannot have children with limits: " + std::strerror(errno);
  }
  return {};
}

// The path in the line of cgroup v2 ("0::/…") of /proc/<pid>/cgroup; empty: there is none.
std::string unified_path(const std::string& cgroups) {
  size_t at = cgroups.find("0::/");
  while (at != std::string::npos && at != 0 && cgroups[at - 1] != '\n') {
    at = cgroups.find("0::/", at + 1);
  }
  return at == std::string::npos ? "" : cgroups.substr(at + 3, cgroups.find('\n', at) - at - 3);
}

}  // namespace

std::string cgroup_root() {
  // "…  - cgroup2 cgroup2 rw": the fifth word of such a line is the mount point.
  const std::string mounts = read_text("/proc/self/mountinfo");
  const size_t type = mounts.find(" - cgroup2 ");
  if (type == std::string::npos) return {};
  const size_t line = mounts.rfind('\n', type) + 1;  // npos + 1 is 0.
  std::string mounted;
  int place = 0;
  for_each_word(std::string_view(mounts).substr(line, type - line), [&](std::string_view word) {
    if (++place == 5) mounted = word;
  });
  return mounted;
}

Controllers parse_controllers(std::string_view text) {
  Controllers out;
  for_each_word(text, [&](std::string_view word) {
    if (word.starts_with('+')) word.remove_prefix(1);
    if (word == "memory") out.memory = true;
    if (word == "cpu") out.cpu = true;
    if (word == "pids") out.pids = true;
    if (word == "io") out.io = true;
  });
  return out;
}

std::string own_cgroup() {
  const std::string mounted = cgroup_root();
  const std::string path = unified_path(read_text("/proc/self/cgroup"));
  if (mounted.empty() || path.empty()) return {};
  if (path.find("/..") != std::string::npos) return {};  // Outside of our view.
  return path == "/" ? mounted : mounted + path;
}

bool make_place(const std::string& directory) {
  if (::mkdir(directory.c_str(), 0700) != 0) return errno == EEXIST;
  const std::string parent = directory.substr(0, directory.rfind('/'));
  const Controllers there = parse_controllers(read_text(parent + "/cgroup.subtree_control"));
  if (there.any()) (void)enable(directory, there);
  return true;
}

CgroupPlace prepare_cgroups(const std::string& own, std::string_view home_name) {
  if (own.empty()) return {.directory = {}, .why_not = "there is no cgroup v2"};
  // A daemon that was started inside the leaf of an earlier one uses the cgroup above it.
  const bool in_leaf = own.ends_with(std::string("/") + kLeaf);
  const std::string base = in_leaf ? own.substr(0, own.rfind('/')) : own;
  CgroupPlace place{.directory = base + "/drover-" + std::string(home_name)};
  if (!make_place(place.directory)) {
    const int error = errno;
    const std::string why = error == EACCES || error == EPERM || error == EROFS
                                ? base + " is not writable: it is not delegated to this user"
                                : "cannot create " + place.directory + ": " + std::strerror(error);
    return {.directory = {}, .why_not = why};
  }
  const Controllers there = parse_controllers(read_text(base + "/cgroup.controllers"));
  place.why_not = use_controllers(base, place.directory, there);
  if (place.why_not.empty()) place.controllers = there;
  return place;
}

void clear_cgroup(const std::string& place, std::string_view name) {
  if (place.empty() || name.empty()) return;
  const std::string directory = place + "/" + std::string(name);
  if (::access(directory.c_str(), F_OK) == 0) kill_and_remove(directory);
}

bool try_to_clear_cgroup(const std::string& place, std::string_view name) {
  return remove_or_kill(place + "/" + std::string(name));
}

std::vector<std::string> cgroups_in(const std::string& place) {
  std::vector<std::string> names;
  DIR* dir = place.empty() ? nullptr : ::opendir(place.c_str());
  if (dir == nullptr) return names;
  while (const dirent* entry = ::readdir(dir)) {
    if (entry->d_type == DT_DIR && entry->d_name[0] != '.') names.emplace_back(entry->d_name);
  }
  ::closedir(dir);
  return names;
}

std::string cgroup_with_id(const std::string& place, std::uint64_t id) {
  if (id == 0) return {};
  for (std::string& name : cgroups_in(place)) {
    struct stat info{};
    if (::stat((place + "/" + name).c_str(), &info) == 0 && info.st_ino == id) {
      return std::move(name);
    }
  }
  return {};
}

std::int32_t keeper_of_cgroup(std::string_view name) {
  if (!name.starts_with(kKeeperPrefix)) return 0;
  name.remove_prefix(kKeeperPrefix.size());
  std::int32_t pid = 0;
  std::from_chars(name.data(), name.data() + name.size(), pid);
  return pid;
}

std::uint64_t cgroup_id_of(const std::string& process) {
  static const std::string mount = cgroup_root();
  const std::string path = unified_path(read_text(process + "/cgroup"));
  const size_t place = path.rfind("/drover-");
  if (mount.empty() || place == std::string::npos) return 0;
  const size_t name = path.find('/', place + 1);
  if (name == std::string::npos) return 0;
  struct stat info{};
  const std::string cgroup = mount + path.substr(0, path.find('/', name + 1));
  return ::stat(cgroup.c_str(), &info) == 0 ? info.st_ino : 0;
}

}  // namespace drover::process
