#include "process/cgroup.h"

#include <dirent.h>
#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

#include "process/pid_ref.h"

namespace drover::process {
namespace {

constexpr size_t kTextBytesMax = 1 << 20;
constexpr std::uint32_t kCpuPeriodUs = 100'000;  // The kernel's own default.
constexpr const char* kLeaf = "daemon";

// The kernel's directories already have these files. In a fake one, a plain directory, they are
// created.
bool write_text(const std::string& path, std::string_view text) {
  const Fd fd(::open(path.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600));
  return fd && ::write(fd.get(), text.data(), text.size()) == static_cast<ssize_t>(text.size());
}

std::string read_text(const std::string& path) {
  const auto text = read_file(path, kTextBytesMax);
  return text ? *text : "";
}

template <class Each>
void for_each_word(std::string_view text, Each each) {
  while (true) {
    const size_t begin = text.find_first_not_of(" \n\t");
    if (begin == std::string_view::npos) return;
    const size_t end = std::min(text.find_first_of(" \n\t", begin), text.size());
    each(text.substr(begin, end - begin));
    text.remove_prefix(end);
  }
}

// The number after `name` in lines of "name 123"; 0 if there is none.
std::uint64_t number_of(std::string_view text, std::string_view name) {
  bool is_next = false;
  std::uint64_t found = 0;
  for_each_word(text, [&](std::string_view word) {
    if (is_next) std::from_chars(word.data(), word.data() + word.size(), found);
    is_next = word == name;
  });
  return found;
}

// Adds up "rbytes=123" of every disk.
std::uint64_t sum_of(std::string_view text, std::string_view name) {
  std::uint64_t sum = 0;
  for_each_word(text, [&](std::string_view word) {
    if (!word.starts_with(name)) return;
    word.remove_prefix(name.size());
    std::uint64_t value = 0;
    std::from_chars(word.data(), word.data() + word.size(), value);
    sum += value;
  });
  return sum;
}

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

constexpr int kNestedMax = 64;  // Deeper than anybody nests; deeper groups are left.

// From the bottom up, including groups that the command created. The files are the kernel's.
bool remove_groups(const std::string& directory, int depth = 0) {
  if (::rmdir(directory.c_str()) == 0 || errno == ENOENT) return true;
  if (depth >= kNestedMax) return false;
  for (const std::string& name : cgroups_in(directory))
    remove_groups(directory + "/" + name, depth + 1);
  return ::rmdir(directory.c_str()) == 0;
}

// False: it had processes, which were killed.
bool remove_or_kill(const std::string& directory) {
  if (remove_groups(directory)) return true;
  write_text(directory + "/cgroup.kill", "1");
  return false;
}

// A kill takes a moment. A cgroup that cannot be removed is left for the next daemon.
void end_and_remove(const std::string& directory) {
  constexpr int kTries = 20;
  constexpr int kPauseMs = 5;
  if (remove_or_kill(directory)) return;
  for (int tries = 0; tries < kTries && !remove_groups(directory) && errno == EBUSY; ++tries) {
    ::poll(nullptr, 0, kPauseMs);
  }
}

CgroupPlace refuse(std::string why) {
  return {.directory = {}, .controllers = {}, .why_not = std::move(why)};
}

}  // namespace

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
  const std::string ours = read_text("/proc/self/cgroup");
  size_t at = ours.find("0::/");
  while (at != std::string::npos && at != 0 && ours[at - 1] != '\n') at = ours.find("0::/", at + 1);
  if (at == std::string::npos || mounted.empty()) return {};
  const std::string path = ours.substr(at + 3, ours.find('\n', at) - at - 3);
  if (path.find("/..") != std::string::npos) return {};  // Outside of our view.
  return path == "/" ? mounted : mounted + path;
}

CgroupPlace prepare_cgroups(const std::string& own, std::string_view home_name) {
  if (own.empty()) return refuse("there is no cgroup v2");
  // A daemon that was started inside the leaf of an earlier one uses the cgroup above it.
  const bool in_leaf = own.ends_with(std::string("/") + kLeaf);
  const std::string base = in_leaf ? own.substr(0, own.rfind('/')) : own;
  const Controllers there = parse_controllers(read_text(base + "/cgroup.controllers"));
  if (!there.any()) return refuse(base + " offers none of the controllers memory, cpu and pids");
  if (::access((base + "/cgroup.subtree_control").c_str(), W_OK) != 0) {
    return refuse(base + " is not writable: it is not delegated to this user");
  }
  if (!enable(base, there)) {
    move_processes_to_leaf(base);
    if (!enable(base, there)) {
      return refuse(base + " cannot have children: " + std::strerror(errno) +
                    (errno == EBUSY ? " (other processes are in it)" : ""));
    }
  }
  const std::string directory = base + "/drover-" + std::string(home_name);
  if (::mkdir(directory.c_str(), 0700) != 0 && errno != EEXIST) {
    return refuse("cannot create " + directory + ": " + std::strerror(errno));
  }
  if (!enable(directory, there)) {
    return refuse(directory + " cannot have children: " + std::strerror(errno));
  }
  return {.directory = directory, .controllers = there};
}

void clear_cgroup(const std::string& place, std::string_view run) {
  if (place.empty()) return;
  const std::string directory = place + "/" + std::string(run);
  if (::access(directory.c_str(), F_OK) == 0) end_and_remove(directory);
}

bool try_to_clear_cgroup(const std::string& place, std::string_view run) {
  return remove_or_kill(place + "/" + std::string(run));
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

bool RunCgroup::set(const char* file, std::string_view value) const {
  return write_text(path_ + "/" + file, value);
}

std::string RunCgroup::get(const char* file) const {
  return read_text(path_ + "/" + file);
}

LimitEnforcement RunCgroup::make(const char* place, const char* run, const ResourceLimits& limits) {
  LimitEnforcement enforced = means_of(limits, {});
  if (place == nullptr || *place == '\0' || !limits.wants_cgroup()) return enforced;
  const Controllers controllers =
      parse_controllers(read_text(std::string(place) + "/cgroup.subtree_control"));
  path_ = std::string(place) + "/" + run;
  ::mkdir(path_.c_str(), 0700);
  directory_ = Fd(::open(path_.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW));
  entry_ = Fd(::open((path_ + "/cgroup.procs").c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600));
  if (!directory_ || !entry_) {
    remove();
    return enforced;
  }
  if (limits.memory_bytes != 0 && controllers.memory &&
      set("memory.max", std::to_string(limits.memory_bytes))) {
    enforced.memory = Enforcer::cgroup;
    set("memory.swap.max", "0");   // Otherwise it would get slow instead of being killed.
    set("memory.oom.group", "1");  // A run that lost a part of its processes is of no use.
  }
  if (limits.cpu_milli != 0 && controllers.cpu) {
    const std::uint64_t quota = std::uint64_t{limits.cpu_milli} * kCpuPeriodUs / 1000;
    if (set("cpu.max", std::to_string(quota) + " " + std::to_string(kCpuPeriodUs))) {
      enforced.cpus = Enforcer::cgroup;
    }
  }
  if (limits.pids != 0 && controllers.pids && set("pids.max", std::to_string(limits.pids))) {
    enforced.pids = Enforcer::cgroup;
  }
  return enforced;
}

bool RunCgroup::ran_out_of_memory() const {
  return is_there() && number_of(get("memory.events"), "oom_kill") > 0;
}

void RunCgroup::kill() const {
  if (is_there()) set("cgroup.kill", "1");
}

void RunCgroup::add_to(UsageRecord& usage) const {
  if (!is_there()) return;
  const std::string peak = get("memory.peak");  // "123\n"; since Linux 5.19.
  std::from_chars(peak.data(), peak.data() + peak.size(), usage.memory_peak_bytes);
  if (const std::string io = get("io.stat"); !io.empty()) {
    usage.read_bytes = sum_of(io, "rbytes=");
    usage.written_bytes = sum_of(io, "wbytes=");
  }
}

void RunCgroup::remove() {
  if (!path_.empty()) end_and_remove(path_);
  directory_.close();
  entry_.close();
  path_.clear();
}

}  // namespace drover::process
