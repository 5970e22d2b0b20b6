#include "process/cgroup.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <string_view>

#include "base/id.h"
#include "process/cgroup_files.h"
#include "process/cgroup_place.h"

namespace drover::process {
namespace {

constexpr std::uint32_t kCpuPeriodUs = 100'000;  // The kernel's own default.
constexpr int kReapedWaitMs = 50;                // Until a reaped process no longer counts.

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

}  // namespace

bool Cgroup::set(const char* file, std::string_view value) const {
  return write_text(path_ + "/" + file, value);
}

std::string Cgroup::get(const char* file) const {
  return read_text(path_ + "/" + file);
}

bool Cgroup::make(const char* place, const std::string& name) {
  if (place == nullptr || *place == '\0') return false;
  path_ = std::string(place) + "/" + name;
  if (::mkdir(path_.c_str(), 0700) != 0 && errno == ENOENT && make_place(place)) {
    ::mkdir(path_.c_str(), 0700);
  }
  directory_ = open_file(path_, O_PATH | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
  entry_ = open_file(path_ + "/cgroup.procs", O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
  events_ = open_file(path_ + "/cgroup.events", O_RDONLY | O_CLOEXEC);
  struct stat info{};
  if (directory_ && entry_ && ::fstat(directory_.get(), &info) == 0) {
    id_ = info.st_ino;
    return true;
  }
  remove();
  return false;
}

bool Cgroup::make_for_keeper(const char* place) {
  if (is_there()) return true;
  return make(place, "keeper-" + std::to_string(::getpid()) + "-" + random_hex(8));
}

LimitEnforcement Cgroup::limit(const ResourceLimits& limits) const {
  LimitEnforcement enforced = means_of(limits, {});
  if (!is_there()) return enforced;
  const Controllers controllers = parse_controllers(get("../cgroup.subtree_control"));
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

bool Cgroup::says_empty() const {
  char text[128];
  const ssize_t n = ::pread(events_.get(), text, sizeof text, 0);
  return n > 0 && std::string_view(text, static_cast<size_t>(n)).starts_with("populated 0\n");
}

bool Cgroup::is_empty() const {
  if (!events_) return false;
  if (says_empty()) return true;
  pollfd change{.fd = events_.get(), .events = POLLPRI, .revents = 0};
  ::poll(&change, 1, kReapedWaitMs);
  return says_empty();
}

bool Cgroup::can_be_used_again() const {
  struct stat info{};
  constexpr nlink_t kWithoutGroups = 2;
  return is_there() && !was_killed_ && ::fstat(directory_.get(), &info) == 0 &&
         info.st_nlink <= kWithoutGroups && says_empty();
}

bool Cgroup::ran_out_of_memory() const {
  return is_there() && number_of(get("memory.events"), "oom_kill") > 0;
}

void Cgroup::kill() {
  if (!is_there()) return;
  was_killed_ = true;
  set("cgroup.kill", "1");
}

void Cgroup::add_to(UsageRecord& usage) const {
  if (!is_there()) return;
  const std::string peak = get("memory.peak");  // "123\n"; since Linux 5.19.
  std::from_chars(peak.data(), peak.data() + peak.size(), usage.memory_peak_bytes);
  if (const std::string io = get("io.stat"); !io.empty()) {
    usage.read_bytes = sum_of(io, "rbytes=");
    usage.written_bytes = sum_of(io, "wbytes=");
  }
}

void Cgroup::remove() {
  if (!path_.empty()) kill_and_remove(path_);
  *this = Cgroup();
}

}  // namespace drover::process
