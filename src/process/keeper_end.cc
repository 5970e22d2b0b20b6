// How a keeper handles the end of its command: its status, the rest of its output, everything it
// started, the receipt.
#include "process/keeper_loop.h"

#include <poll.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "base/crash_point.h"
#include "base/limits.h"

namespace drover::process {
namespace {

constexpr std::uint64_t kBlockBytes = 512;  // The unit of disk I/O in rusage.
constexpr int kLastReads = 64;              // A command may have made its pipe larger than ours.
// How long a keeper waits for room for the status of its command. Longer, and nobody is going to
// free space for it; the daemon has recorded the status long ago, unless it is dead, too.
constexpr std::int64_t kRoomWaitNs = 600'000 * kMs;
constexpr timespec kLookForRoom{.tv_sec = 0, .tv_nsec = 100 * kMs};

std::uint64_t microseconds(const timeval& time) {
  return static_cast<std::uint64_t>(time.tv_sec) * 1'000'000 +
         static_cast<std::uint64_t>(time.tv_usec);
}

}  // namespace

void KeeperLoop::write_status() {
  errno = 0;
  const bool is_written = write_record(file_.get(), status_).has_value();
  lacks_room_ = !is_written && (errno == ENOSPC || errno == EDQUOT);
}

// A full file system that copies on write refuses to overwrite, too. If the daemon also dies before
// it has stored our report, the status exists nowhere else: stay, with the lock, until it is
// written.
void KeeperLoop::wait_for_room() {
  const std::int64_t end = clock_.mono_ns() + kRoomWaitNs;
  while (lacks_room_ && clock_.mono_ns() < end) {
    ::ppoll(nullptr, 0, &kLookForRoom, nullptr);
    reports_.send_pending();
    write_status();
  }
}

void KeeperLoop::reap() {
  while (mode_ == Mode::running) {
    siginfo_t info{};
    if (::waitid(P_ALL, 0, &info, WEXITED | WNOHANG | WNOWAIT) != 0 || info.si_pid == 0) return;
    if (info.si_pid != leader_) {  // An orphan that was reparented to us; its status is not needed.
      reap_one(info.si_pid);
      continue;
    }
    // Not reaped yet: its pid must stay taken while its group is signaled.
    status_.exited = info.si_code == CLD_EXITED ? 1 : 0;
    (info.si_code == CLD_EXITED ? status_.exit_code : status_.signal) = info.si_status;
    status_.core_dumped = info.si_code == CLD_DUMPED ? 1 : 0;
    const bool succeeded = info.si_code == CLD_EXITED && info.si_status == 0;
    if (cause_ == StopCause::none && !succeeded && limited_.ran_out_of_memory()) {
      cause_ = StopCause::out_of_memory;
    }
    status_.cause = cause_;
    status_.wall_ms = clock_.wall_ms();
    status_.mono_ns = clock_.mono_ns();
    crash_point("keeper.exit_seen");
    write_status();  // At once, before anything else can fail.
    crash_point("keeper.status_written");
    mode_ = Mode::draining;
    wall_deadline_ = 0;
    output_.widen_reserve(2);
    drain_deadline_ = now_ + limits::kDrainMs * kMs;
    input_.close();
    command_ends_ = {};
    terminal_.close_peer();
    // Mostly only the end of file is left; polling for it would cost one more round.
    if (out_) pump(out_, Stream::out, out_bytes_);
    if (err_) pump(err_, Stream::err, err_bytes_);
  }
  if (mode_ == Mode::draining && other_children(leader_) != Presence::nobody) reap_others();
}

bool KeeperLoop::is_cgroup_empty() const {
  return cgroup_ == nullptr || !cgroup_->knows_emptiness() || cgroup_->is_empty();
}

// Names the processes that could not be killed. That a scan finds none proves nothing: a process
// that forks and exits all the time may be missed.
void KeeperLoop::give_up_sweep() {
  mode_ = Mode::gone;
  if (all_processes_gone()) return;
  sweep_.count_survivors();
}

// ECHILD and an empty cgroup are the proof, not an empty scan. The leader is reaped only once no
// other process is seen.
bool KeeperLoop::all_processes_gone() {
  if (!sweep_.is_leader_reaped()) {
    if (other_children(leader_) != Presence::nobody) {
      reap_others();
      if (!descendants(::getpid()).empty()) return false;
    }
    reap_one(leader_);
    sweep_.leader_is_reaped();
  }
  errno = 0;
  while (reap_one(-1)) {
  }
  if (errno != ECHILD || !is_cgroup_empty()) return false;
  usage_.witness = cgroup_ != nullptr && cgroup_->knows_emptiness() ? Witness::empty_cgroup
                                                                    : Witness::no_children;
  return true;
}

// All but the leader. Processes that fork and exit all the time would otherwise leave so many
// zombies until they are killed that no process of this machine could fork any more.
void KeeperLoop::reap_others() {
  const auto children = child_pids();
  if (!children) return;
  for (const std::int32_t child : *children) {
    if (child != leader_) reap_one(child);
  }
}

// Adds up what each process used: RUSAGE_CHILDREN would include earlier commands.
bool KeeperLoop::reap_one(std::int32_t which) {
  rusage used{};
  if (::wait4(which, nullptr, WNOHANG, &used) <= 0) return false;
  usage_.user_us += microseconds(used.ru_utime);
  usage_.system_us += microseconds(used.ru_stime);
  usage_.read_bytes += static_cast<std::uint64_t>(used.ru_inblock) * kBlockBytes;
  usage_.written_bytes += static_cast<std::uint64_t>(used.ru_oublock) * kBlockBytes;
  peak_rss_bytes_ = std::max(peak_rss_bytes_, static_cast<std::uint64_t>(used.ru_maxrss) * 1024);
  return true;
}

void KeeperLoop::sweep() {
  if (all_processes_gone()) mode_ = Mode::gone;
}

// The command has printed the bytes that are still in a pipe, and they are not kept.
void KeeperLoop::count_unread(const Fd& pipe, std::uint64_t& total) {
  int unread = 0;
  if (!pipe || ::ioctl(pipe.get(), FIONREAD, &unread) != 0 || unread <= 0) return;
  total += static_cast<std::uint64_t>(unread);
  output_.lose(static_cast<std::uint64_t>(unread));
}

void KeeperLoop::end() {
  // Reads the rest of the pipes; bounded, because a survivor may still be printing.
  output_.widen_reserve(3);
  for (int reads = 0; reads < kLastReads && (out_ || err_); ++reads) {
    if (out_) pump(out_, Stream::out, out_bytes_);
    if (err_) pump(err_, Stream::err, err_bytes_);
  }
  if (absence_.is_final(now_)) output_.forget_reader();
  count_unread(out_, out_bytes_);
  count_unread(err_, err_bytes_);
  output_.finish();
  crash_point("keeper.all_gone");
  limited_.add_to(usage_);
  limited_.remove();
  unlock();  // Before the ending: its readers may start the next command with the same lock.
  (void)write_record(file_.get(), usage_);
  crash_point("keeper.usage_written");
  EndingRecord ending;
  sweep_.write_to(ending);
  ending.status = status_;
  ending.stdout_bytes = out_bytes_;
  ending.stderr_bytes = err_bytes_;
  ending.dropped_bytes = output_.not_kept();
  ending.drained = !out_ && !err_ ? 1 : 0;
  ending.cpu_us = usage_.user_us + usage_.system_us;
  ending.peak_rss_bytes = peak_rss_bytes_;
  ending.ended_wall_ms = clock_.wall_ms();
  (void)write_record(file_.get(), ending);  // A full disk loses the receipt, not the status.
  crash_point("keeper.ending_written");
  if (!command_.keeps_environment()) command_.forget_environment(file_.get());
  crash_point("keeper.environment_forgotten");
  control_.close();
  crash_point("keeper.to_report");
  const EndedReport ended{.ending = ending, .started_wall_ms = started_.wall_ms, .usage = usage_};
  reports_.send(ReportKind::ended, &ended, sizeof ended);
  crash_point("keeper.end_reported");
  if (lacks_room_) wait_for_room();
}

}  // namespace drover::process
