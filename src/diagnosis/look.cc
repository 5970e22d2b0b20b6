#include "diagnosis/look.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <climits>
#include <filesystem>
#include <map>
#include <unordered_set>

#include "base/fd.h"
#include "base/limits.h"
#include "base/text.h"
#include "diagnosis/proc_text.h"
#include "process/pid_ref.h"
#include "process/tree.h"

namespace drover::diagnosis {
namespace {

namespace fs = std::filesystem;

constexpr size_t kTextBytesMax = 1 << 20;  // Of one file of /proc.
constexpr size_t kPollsMax = 16;

std::string read_text(const std::string& path) {
  const Fd fd = open_file(path, O_RDONLY | O_CLOEXEC);
  std::string out;
  char buffer[4096];
  for (ssize_t n = 0; fd && out.size() < kTextBytesMax;) {
    n = ::read(fd.get(), buffer, sizeof buffer);
    if (n <= 0) break;
    out.append(buffer, static_cast<size_t>(n));
  }
  return out;
}

std::string directory_of(std::int32_t pid) {
  return fmt::format("/proc/{}", pid);
}

std::vector<std::int32_t> numbers_in(const std::string& directory) {
  std::vector<std::int32_t> out;
  std::error_code error;
  for (fs::directory_iterator it(directory, error), end; !error && it != end; it.increment(error)) {
    out.push_back(std::atoi(it->path().filename().c_str()));
  }
  std::ranges::sort(out);
  return out;
}

Target target_of(std::int32_t pid, int fd) {
  char name[PATH_MAX];
  const ssize_t n = ::readlink(fmt::format("/proc/{}/fd/{}", pid, fd).c_str(), name, sizeof name);
  return {.fd = fd, .name = n <= 0 ? "" : bounded({name, static_cast<size_t>(n)}, PATH_MAX)};
}

std::vector<Target> pipes_of(std::int32_t pid) {
  std::vector<Target> out;
  for (const int fd : numbers_in(directory_of(pid) + "/fd")) {
    if (out.size() >= limits::kDescriptorsSeenMax) break;
    Target target = target_of(pid, fd);
    if (target.name.starts_with("pipe:")) out.push_back(std::move(target));
  }
  return out;
}

// The children of all its threads. If the kernel does not list them, searches all processes.
std::vector<std::int32_t> children_of(std::int32_t pid) {
  std::vector<std::int32_t> out;
  for (const std::int32_t tid : numbers_in(directory_of(pid) + "/task")) {
    const std::string text = read_text(fmt::format("/proc/{}/task/{}/children", pid, tid));
    for (const char* at = text.c_str(); *at != '\0';) {
      char* rest = nullptr;
      const long child = std::strtol(at, &rest, 10);
      if (rest == at) break;
      out.push_back(static_cast<std::int32_t>(child));
      at = rest;
    }
  }
  return out;
}

std::vector<std::int32_t> tree_below(std::int32_t root) {
  std::vector<std::int32_t> out;
  if (::access(fmt::format("/proc/{}/task/{}/children", root, root).c_str(), R_OK) != 0) {
    for (const process::Member& member : process::descendants(root)) out.push_back(member.ref.pid);
    return out;
  }
  std::unordered_set<std::int32_t> seen{root};
  std::vector<std::int32_t> waiting{root};
  while (!waiting.empty()) {
    const std::int32_t parent = waiting.back();
    waiting.pop_back();
    for (const std::int32_t child : children_of(parent)) {
      if (!seen.insert(child).second) continue;
      out.push_back(child);
      waiting.push_back(child);
    }
  }
  return out;
}

class Sockets {
 public:
  void explain(std::int32_t pid, Target& target) {
    if (!target.name.starts_with("socket:[")) return;
    if (!read_) {
      read_ = true;
      const std::string net = directory_of(pid) + "/net/";
      parse_internet(read_text(net + "tcp"), "tcp", known_);
      parse_internet(read_text(net + "tcp6"), "tcp", known_);
      parse_internet(read_text(net + "udp"), "udp", known_);
      parse_unix(read_text(net + "unix"), known_);
    }
    const auto it = known_.find(std::strtoull(target.name.c_str() + 8, nullptr, 10));
    if (it != known_.end()) target.detail = it->second;
  }

 private:
  bool read_ = false;
  std::map<std::uint64_t, std::string> known_;
};

// The descriptors in an array of pollfd in another process's memory.
std::vector<int> polled(std::int32_t pid, const SystemCall& call) {
  pollfd polls[kPollsMax];
  const size_t count = std::min<size_t>(call.arguments[1], kPollsMax);
  iovec here{.iov_base = polls, .iov_len = count * sizeof(pollfd)};
  iovec there{.iov_base = reinterpret_cast<void*>(call.arguments[0]), .iov_len = here.iov_len};
  const ssize_t n = count == 0 ? 0 : ::process_vm_readv(pid, &here, 1, &there, 1, 0);
  std::vector<int> out;
  for (size_t i = 0; n > 0 && i < static_cast<size_t>(n) / sizeof(pollfd); ++i) {
    if (polls[i].fd >= 0) out.push_back(polls[i].fd);
  }
  return out;
}

std::vector<int> descriptors_of(std::int32_t pid, const SystemCall& call, std::string_view name) {
  if (name == "poll" || name == "ppoll") return polled(pid, call);
  const int first = static_cast<int>(call.arguments[0]);
  if (name.starts_with("epoll_")) {
    return parse_epoll(read_text(fmt::format("/proc/{}/fdinfo/{}", pid, first)));
  }
  if (takes_descriptor(name)) return {first};
  return {};
}

Thread look_at_thread(std::int32_t pid, std::int32_t tid, Sockets& sockets, bool& blind) {
  const std::string directory = fmt::format("/proc/{}/task/{}", pid, tid);
  Thread thread{.tid = tid};
  if (const auto stat = process::look_at(tid)) thread.state = stat->state;
  thread.wchan = read_text(directory + "/wchan");
  if (thread.wchan == "0") thread.wchan.clear();
  const std::string text = read_text(directory + "/syscall");
  if (text.empty() && thread.state != 'Z') blind = true;
  const auto call = parse_syscall(text);
  if (!call || thread.state == 'R') return thread;
  thread.call = Call{.name = call_name(call->number)};
  for (const int fd : descriptors_of(pid, *call, thread.call->name)) {
    if (thread.call->targets.size() >= kPollsMax) break;
    Target target = target_of(pid, fd);
    sockets.explain(pid, target);
    thread.call->targets.push_back(std::move(target));
  }
  return thread;
}

Process look_at_process(std::int32_t pid, const process::Stat& stat) {
  static const long kTicks = ::sysconf(_SC_CLK_TCK);
  static const long kPage = ::sysconf(_SC_PAGESIZE);
  Process out{.pid = pid,
              .parent = stat.parent,
              .name = bounded(stat.name, sizeof stat.name * 3),
              .state = stat.state,
              .thread_count = stat.threads};
  out.cpu_ms = static_cast<std::int64_t>(stat.cpu_ticks) * 1000 / kTicks;
  out.rss_bytes = stat.rss_pages * kPage;
  const std::string io = read_text(directory_of(pid) + "/io");
  out.read_bytes = number_after(io, "read_bytes:");
  out.written_bytes = number_after(io, "write_bytes:");
  return out;
}

void name_holders(Scene& scene) {
  for (LockWait& lock : scene.locks) {
    if (lock.holder == 0) continue;
    if (const auto stat = process::look_at(lock.holder)) {
      lock.holder_name = bounded(stat->name, sizeof stat->name * 3);
    }
  }
}

}  // namespace

Scene look(std::int32_t keeper, std::int32_t leader, Depth depth) {
  Scene scene{.processes = {}, .leader = leader, .keeper = keeper};
  if (const auto stat = process::look_at(keeper)) scene.keeper_state = stat->state;
  Sockets sockets;
  for (const std::int32_t pid : tree_below(keeper)) {
    if (scene.processes.size() >= limits::kProcessesSeenMax) {
      ++scene.left_out;
      continue;
    }
    const auto stat = process::look_at(pid);
    if (!stat) continue;  // It has just exited.
    Process process = look_at_process(pid, *stat);
    if (depth == Depth::whole && stat->state != 'Z') {
      for (const std::int32_t tid : numbers_in(directory_of(pid) + "/task")) {
        if (process.threads.size() >= limits::kThreadsSeenMax) break;
        process.threads.push_back(look_at_thread(pid, tid, sockets, scene.blind));
      }
      process.pipes = pipes_of(pid);
    }
    scene.processes.push_back(std::move(process));
  }
  if (depth == Depth::whole) {
    scene.keeper_pipes = pipes_of(keeper);
    scene.locks = parse_lock_waits(read_text("/proc/locks"));
    name_holders(scene);
  }
  return scene;
}

Scene compare(const Scene& first, Scene second, std::int64_t apart_ms) {
  second.sampled_ms = apart_ms;
  second.cpu_ms_between = 0;
  for (const Process& now : second.processes) {
    const auto before = std::ranges::find(first.processes, now.pid, &Process::pid);
    // All CPU time of a new process counts.
    const std::int64_t then = before == first.processes.end() ? 0 : before->cpu_ms;
    second.cpu_ms_between += std::max<std::int64_t>(0, now.cpu_ms - then);
  }
  return second;
}

}  // namespace drover::diagnosis
