#include "diagnosis/judge.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

namespace drover::diagnosis {
namespace {

constexpr size_t kFindingsMax = 16;  // A thousand workers are usually stuck for one reason.

enum class Kind { reading, writing, polling, talking, locking, futex, child, sleeping, other };

Kind kind_of(std::string_view call) {
  struct Row {
    Kind kind;
    std::array<std::string_view, 9> names;
  };
  static constexpr auto kRows = std::to_array<Row>({
      {Kind::reading, {"read", "readv", "pread64", "preadv"}},
      {Kind::writing, {"write", "writev", "pwrite64", "pwritev"}},
      {Kind::polling,
       {"poll", "ppoll", "select", "pselect6", "epoll_wait", "epoll_pwait", "epoll_pwait2"}},
      {Kind::talking,
       {"connect", "accept", "accept4", "recvfrom", "recvmsg", "recvmmsg", "sendto", "sendmsg",
        "sendmmsg"}},
      {Kind::locking, {"flock", "fcntl"}},
      {Kind::futex, {"futex"}},
      {Kind::child, {"wait4", "waitid"}},
      {Kind::sleeping,
       {"nanosleep", "clock_nanosleep", "pause", "rt_sigsuspend", "rt_sigtimedwait"}},
  });
  for (const Row& row : kRows) {
    if (std::ranges::find(row.names, call) != row.names.end()) return row.kind;
  }
  return Kind::other;
}

// A call that the kernel restarts after a signal has lost its name; the kernel function it sleeps
// in says which call it was.
Kind kind_of(const Thread& thread) {
  if (thread.call->name != "restart_syscall") return kind_of(thread.call->name);
  for (const auto& [part, kind] :
       {std::pair("nanosleep", Kind::sleeping), std::pair("poll", Kind::polling),
        std::pair("futex", Kind::futex)}) {
    if (thread.wchan.find(part) != std::string::npos) return kind;
  }
  return Kind::other;
}

bool is_pipe(const Target& target) {
  return target.name.starts_with("pipe:");
}
bool is_socket(const Target& target) {
  return target.name.starts_with("socket:");
}
bool is_terminal(const Target& target) {
  return target.name.starts_with("/dev/pts/") || target.name.starts_with("/dev/tty");
}

std::string who(const Process& process) {
  return fmt::format("{} ({})", process.name, process.pid);
}

std::string say(const Target& target) {
  std::string out = fmt::format("fd {}", target.fd);
  if (!target.name.empty()) out += " → " + target.name;
  if (!target.detail.empty()) out += ", " + target.detail;
  return out;
}

std::string observation_of(const Process& process, const Thread& thread) {
  std::string out = fmt::format("pid {}", process.pid);
  if (thread.tid != process.pid) out += fmt::format(", thread {}", thread.tid);
  out += fmt::format(", state {}", thread.state);
  if (thread.call) {
    out += ", in " + thread.call->name;
    for (const Target& target : thread.call->targets) out += " · " + say(target);
  }
  if (!thread.wchan.empty()) out += ", wchan " + thread.wchan;
  return out;
}

class Judge {
 public:
  explicit Judge(const Scene& scene) : scene_(scene) {}
  std::vector<Finding> all();

 private:
  void look_at(const Process& process);
  void look_at(const Process& process, const Thread& thread);
  bool look_at_state(const Process& process, const Thread& thread);
  bool look_at_lock(const Process& process, const Thread& thread);
  void look_at_targets(const Process& process, const Thread& thread, Kind kind);
  void look_at_pipe(const Process& process, const Thread& thread, const Target& target, Kind kind);
  void look_at_whole();
  bool is_ours(const Target& target) const;
  std::string other_end(const Process& process, const Target& target) const;
  void add(std::string kind, const Process& process, const Thread& thread, std::string text,
           WallMs since = 0) {
    found_.push_back(
        {std::move(kind), std::move(text), process.pid, observation_of(process, thread), since});
  }

  const Scene& scene_;
  std::vector<Finding> found_;
};

// A pipe whose other end the keeper has is the run's own standard input or output.
bool Judge::is_ours(const Target& target) const {
  return std::ranges::any_of(scene_.keeper_pipes,
                             [&](const Target& ours) { return ours.name == target.name; });
}

std::string Judge::other_end(const Process& process, const Target& target) const {
  std::string out;
  for (const Process& other : scene_.processes) {
    if (other.pid == process.pid) continue;
    const bool holds = std::ranges::any_of(
        other.pipes, [&](const Target& pipe) { return pipe.name == target.name; });
    if (holds) out += (out.empty() ? "" : ", ") + who(other);
  }
  return out;
}

bool Judge::look_at_state(const Process& process, const Thread& thread) {
  switch (thread.state) {
    case 'T':
      add("stopped", process, thread,
          who(process) + " is stopped; continue it with `drover signal RUN CONT`");
      return true;
    case 't':
      add("traced", process, thread, who(process) + " is stopped by a debugger");
      return true;
    case 'D':
      add("uninterruptible", process, thread,
          who(process) +
              " waits in the kernel and cannot be interrupted, usually for a disk or a network "
              "file system");
      return true;
    default:
      return false;
  }
}

bool Judge::look_at_lock(const Process& process, const Thread& thread) {
  for (const LockWait& lock : scene_.locks) {
    if (lock.waiter != process.pid && lock.waiter != thread.tid) continue;
    std::string file = "a file";
    if (thread.call && !thread.call->targets.empty() && !thread.call->targets[0].name.empty()) {
      file = thread.call->targets[0].name;
    }
    std::string holder = "a process that the kernel does not name";
    if (lock.holder != 0) {
      holder = lock.holder_name.empty() ? fmt::format("process {}", lock.holder)
                                        : fmt::format("{} ({})", lock.holder_name, lock.holder);
    }
    add("lock", process, thread,
        fmt::format("{} waits for a lock ({}) on {}, held by {}", who(process), lock.kind, file,
                    holder));
    return true;
  }
  return false;
}

void Judge::look_at_pipe(const Process& process, const Thread& thread, const Target& target,
                         Kind kind) {
  if (is_ours(target)) {
    if (kind == Kind::writing) {
      add("output_blocked", process, thread,
          who(process) + " cannot print: its keeper does not read its output");
    } else {
      add("reads_stdin", process, thread,
          who(process) +
              " waits for standard input; send some with `drover send RUN`, or close it with "
              "--eof");
    }
    return;
  }
  const std::string others = other_end(process, target);
  add("pipe", process, thread,
      fmt::format("{} {} {} on a pipe", who(process),
                  kind == Kind::writing ? "is blocked by" : "waits for",
                  others.empty() ? "a process outside this run" : others));
}

void Judge::look_at_targets(const Process& process, const Thread& thread, Kind kind) {
  const auto& targets = thread.call->targets;
  // If it waits for several, name standard input: people forget that most often.
  const auto ours = std::ranges::find_if(
      targets, [&](const Target& t) { return is_pipe(t) && is_ours(t) && kind != Kind::writing; });
  const auto typed = std::ranges::find_if(targets, is_terminal);
  const auto socket = std::ranges::find_if(targets, is_socket);
  const auto pipe = std::ranges::find_if(targets, is_pipe);
  if (ours != targets.end()) {
    look_at_pipe(process, thread, *ours, kind);
  } else if (typed != targets.end() && kind != Kind::writing) {
    add("reads_stdin", process, thread,
        who(process) + " waits for input on its terminal; attach with `drover attach RUN`");
  } else if (socket != targets.end()) {
    add("socket", process, thread,
        fmt::format("{} waits on a socket{}{}", who(process), socket->detail.empty() ? "" : ": ",
                    socket->detail));
  } else if (pipe != targets.end()) {
    look_at_pipe(process, thread, *pipe, kind);
  } else if (!targets.empty() && !targets[0].name.empty()) {
    add("file", process, thread, fmt::format("{} waits on {}", who(process), targets[0].name));
  }
}

void Judge::look_at(const Process& process, const Thread& thread) {
  if (look_at_state(process, thread)) return;
  if (!thread.call || look_at_lock(process, thread)) return;
  const Kind kind = kind_of(thread);
  switch (kind) {
    case Kind::reading:
    case Kind::writing:
    case Kind::polling:
      return look_at_targets(process, thread, kind);
    case Kind::talking:
      if (thread.call->targets.empty()) {
        return add("socket", process, thread, who(process) + " waits on a socket");
      }
      return look_at_targets(process, thread, kind);
    case Kind::sleeping:
      return add("sleeping", process, thread,
                 fmt::format("{} is sleeping on purpose ({})", who(process), thread.call->name));
    default:  // A parent that waits for its child is not what holds it up; for the rest see below.
      return;
  }
}

void Judge::look_at(const Process& process) {
  if (process.state == 'Z') {
    // The keeper's own child: unreaped until its process group is gone.
    if (process.pid == scene_.leader) return;
    found_.push_back({.kind = "dead_child",
                      .text = fmt::format("{} has exited, and its parent {} has not reaped it",
                                          who(process), process.parent),
                      .pid = process.pid,
                      .evidence = fmt::format("pid {}, state Z", process.pid)});
    return;
  }
  const bool all_wait = !process.threads.empty() &&
                        std::cmp_equal(process.threads.size(), process.thread_count) &&
                        std::ranges::all_of(process.threads, [](const Thread& thread) {
                          return thread.call && kind_of(thread) == Kind::futex;
                        });
  if (all_wait && scene_.cpu_ms_between == 0) {
    const size_t n = process.threads.size();
    return add(
        "deadlock", process, process.threads[0],
        n == 1
            ? who(process) + " waits for a lock in memory that only another process can release"
            : fmt::format("all {} threads of {} wait for one another: a deadlock, or idle workers",
                          n, who(process)));
  }
  for (const Thread& thread : process.threads) {
    const size_t before = found_.size();
    look_at(process, thread);
    // The first thread with a finding stands for the whole process.
    if (found_.size() > before) return;
  }
}

void Judge::look_at_whole() {
  if (scene_.leader_has_exited) {
    found_.push_back(
        {.kind = "ending",
         .text = fmt::format("the command has exited; {} left and will be killed",
                             scene_.processes.size() == 1
                                 ? "1 process is"
                                 : fmt::format("{} processes are", scene_.processes.size()))});
  }
  if (scene_.keeper_state == 'T' || scene_.keeper_state == 't') {
    found_.push_back(
        {.kind = "keeper_stopped",
         .text = fmt::format(
             "its keeper ({}) is stopped and does nothing; continue it with `kill -CONT {}`",
             scene_.keeper, scene_.keeper),
         .pid = scene_.keeper,
         .evidence = fmt::format("pid {}, state {}", scene_.keeper, scene_.keeper_state)});
  }
  const bool runs = std::ranges::any_of(scene_.processes, [](const Process& process) {
    return std::ranges::any_of(process.threads, [](const Thread& t) { return t.state == 'R'; });
  });
  if (scene_.sampled_ms > 0 && scene_.cpu_ms_between > 0) {
    found_.push_back({.kind = "busy",
                      .text = fmt::format("it is working: {} % of a core just now",
                                          100 * scene_.cpu_ms_between / scene_.sampled_ms)});
  } else if (scene_.sampled_ms > 0 && !runs) {
    const bool printed = scene_.printed_at != 0;
    found_.push_back({.kind = "quiet",
                      .text = printed ? "it uses no CPU and prints nothing"
                                      : "it uses no CPU and has not printed anything",
                      .evidence = fmt::format("0 ms of CPU in {} ms; {} bytes printed",
                                              scene_.sampled_ms, scene_.output_bytes),
                      .since = printed ? scene_.printed_at : scene_.started_at});
  }
  if (scene_.blind) {
    found_.push_back(
        {.kind = "unseen",
         .text =
             "some of its processes cannot be inspected; only their state and CPU time are known",
         .evidence = "/proc/PID/syscall cannot be read"});
  }
}

std::vector<Finding> Judge::all() {
  for (const Process& process : scene_.processes) look_at(process);
  if (found_.size() > kFindingsMax) found_.resize(kFindingsMax);
  look_at_whole();
  std::vector<Finding> ranked;
  for (const std::string_view kind : kKinds) {
    for (Finding& finding : found_) {
      if (finding.kind == kind) ranked.push_back(std::move(finding));
    }
  }
  return ranked;
}

}  // namespace

std::vector<Finding> judge(const Scene& scene) {
  return Judge(scene).all();
}

Usage usage_of(const Scene& scene) {
  Usage usage;
  for (const Process& process : scene.processes) {
    if (process.state != 'Z') ++usage.processes;
    usage.cpu_ms += process.cpu_ms;
    usage.rss_bytes += process.rss_bytes;
    if (process.read_bytes) usage.read_bytes = usage.read_bytes.value_or(0) + *process.read_bytes;
    if (process.written_bytes) {
      usage.written_bytes = usage.written_bytes.value_or(0) + *process.written_bytes;
    }
  }
  return usage;
}

}  // namespace drover::diagnosis
