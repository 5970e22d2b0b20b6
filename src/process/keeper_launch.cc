// How a keeper starts its command: its file, its pipes, its process.
#include "process/keeper_loop.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "base/crash_point.h"
#include "base/directory_lock.h"
#include "base/limits.h"

namespace drover::process {
namespace {

// Most commands exit sooner, and then need no report of their start.
constexpr std::int64_t kStartReportedNs = 5 * kMs;

}  // namespace

IdentityRecord KeeperLoop::identity(const ProcessRef& keeper) const {
  IdentityRecord record{.keeper = keeper};
  std::memcpy(record.boot_id, place_.boot->text, sizeof record.boot_id);
  return record;
}

void KeeperLoop::give_up(LaunchStep step, int error) {
  gave_up_ = true;
  const LaunchFailure failure{.step = step, .error_number = error};
  reports_.send(ReportKind::refused, &failure, sizeof failure);
}

bool KeeperLoop::launch() {
  now_ = clock_.mono_ns();
  const auto failed = [&](LaunchStep step, int error) {
    unlock();  // Before anybody can read that the launch has failed.
    status_.failed_step = step;
    status_.error_number = error;
    status_.wall_ms = clock_.wall_ms();
    status_.mono_ns = clock_.mono_ns();
    write_status();
    command_ends_ = {};
    terminal_.close_peer();
    return false;
  };
  if (!command_.load(file_.get())) return failed(LaunchStep::spec, errno);
  crash_point("keeper.loaded");
  if (const int error = take_lock(); error != 0) return failed(LaunchStep::lock, error);
  const CommandHeader& wish = command_.header();
  Stdio stdio;
  if (wish.stdin_mode == StdinMode::pty) {
    if (!prepare_terminal()) return failed(LaunchStep::pipes, errno);
    const int peer = terminal_.peer();
    stdio = {.in = peer, .out = peer, .err = peer, .terminal = true};
  } else {
    const LaunchStep step = prepare_pipes();
    if (step != LaunchStep::none) return failed(step, errno);
    stdio = {.in = command_ends_.in ? command_ends_.in.get() : place_.null,
             .out = command_ends_.out.get(),
             .err = command_ends_.err.get()};
  }
  output_ = OutputWriter(-1, wish.output_bytes_max, command_.has_exact_reader());
  MarksRecord marks{.first_ticks = ticks_now(), .forks = place_.forks->at(now_)};
  mark_output(marks);
  const Spawned spawned = spawn(command_, stdio, prepare_bounds());
  command_ends_.in.close();
  if (!spawned.in_cgroup) cgroup_ = nullptr;
  if (spawned.pid == 0) return failed(spawned.failed_step, spawned.error_number);

  crash_point("keeper.spawned");
  leader_ = spawned.pid;
  sweep_.lead(leader_);
  last_output_at_ = now_ = clock_.mono_ns();
  absence_.look(false, now_);
  started_ = {.command = {.pid = leader_}, .wall_ms = clock_.wall_ms(), .mono_ns = now_};
  marks.last_ticks = ticks_now();
  if (cgroup_ != nullptr) marks.cgroup = cgroup_->id();
  // If this fails, recovery still finds the status, or the lock; usually the report suffices.
  (void)write_start(file_.get(), started_, marks);
  crash_point("keeper.started_written");
  report_start_at_ = now_ + kStartReportedNs;
  if (wish.timeout_ms != 0) wall_deadline_ = now_ + wish.timeout_ms * kMs;
  control_at_ = now_ + limits::kControlAfterMs * kMs;
  no_growth_to_ = now_ + limits::kGrowthAfterMs * kMs;
  return true;
}

// Returns an errno; EAGAIN: another process has locked it. The keeper has the lock, not the
// command, which gets no descriptor of it: the keeper outlives everything that the command starts.
int KeeperLoop::take_lock() {
  if (command_.lock_file() == nullptr) return 0;
  constexpr int kFlags = O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY;
  lock_ = Fd(::open(command_.lock_file(), kFlags, 0666));
  struct stat info{};
  if (!lock_ || ::fstat(lock_.get(), &info) != 0) return errno;
  if (!S_ISREG(info.st_mode)) return EINVAL;
  struct flock wanted{};
  wanted.l_type = F_WRLCK;
  wanted.l_start = kLockedByte;
  wanted.l_len = 1;
  if (::fcntl(lock_.get(), F_OFD_SETLK, &wanted) != 0) {
    // EINVAL would name a file that is not a regular one.
    return errno == EACCES ? EAGAIN : errno == EINVAL ? ENOLCK : errno;
  }
  if (command_.lock_directory() == nullptr) return 0;
  directory_lock_ = lock_directory(command_.lock_directory(), kLockedByte);
  if (!directory_lock_) return 0;  // The lock of the file has to do.
  return locked_by_others(directory_lock_.get(), kLockedByte, 1) < 0 ? 0 : EAGAIN;
}

void KeeperLoop::unlock() {
  lock_.close();
  directory_lock_.close();
}

Bounds KeeperLoop::prepare_bounds() {
  const ResourceLimits& wish = command_.limits();
  if (wish.wants_cgroup()) {
    if (limited_.make(place_.cgroups, request_.directory)) cgroup_ = &limited_;
  } else if (place_.cgroup->make_for_keeper(place_.cgroups)) {
    cgroup_ = place_.cgroup;
  }
  if (wish.any()) usage_.enforced = limited_.limit(wish);
  return {.cgroup = cgroup_ == nullptr ? -1 : cgroup_->directory(),
          .cgroup_entry = cgroup_ == nullptr ? -1 : cgroup_->entry(),
          .needs_cgroup = cgroup_ == &limited_,
          .data_bytes = usage_.enforced.memory == Enforcer::rlimit ? wish.memory_bytes : 0,
          .nice = wish.nice};
}

// If we die, a process of the command can be recognized by this: its output.
void KeeperLoop::mark_output(MarksRecord& marks) const {
  struct stat info{};
  if (terminal_.is_open()) {
    if (::fstat(terminal_.peer(), &info) != 0) return;
    marks.made_ns = info.st_ctim.tv_sec * 1'000'000'000 + info.st_ctim.tv_nsec;
    marks.output[0] = info.st_ino;
  } else {
    if (::fstat(command_ends_.out.get(), &info) == 0) marks.output[0] = info.st_ino;
    if (::fstat(command_ends_.err.get(), &info) == 0) marks.output[1] = info.st_ino;
  }
  marks.device = info.st_dev;
}

LaunchStep KeeperLoop::prepare_pipes() {
  int pipe[2];
  for (const auto& [ours, theirs] :
       {std::pair(&out_, &command_ends_.out), std::pair(&err_, &command_ends_.err)}) {
    if (::pipe2(pipe, O_CLOEXEC) != 0) return LaunchStep::pipes;
    *ours = Fd(pipe[0]);
    *theirs = Fd(pipe[1]);
    // Only our end: the command expects ordinary, blocking pipes.
    ::fcntl(ours->get(), F_SETFL, O_NONBLOCK);
  }
  if (command_.header().stdin_mode != StdinMode::pipe) return LaunchStep::none;
  if (::pipe2(pipe, O_CLOEXEC) != 0) return LaunchStep::stdin_;
  command_ends_.in = Fd(pipe[0]);
  ::fcntl(pipe[1], F_SETFL, O_NONBLOCK);
  input_.open(Fd(pipe[1]));
  return LaunchStep::none;
}

// One descriptor to read and one to write: the input is closed before the output.
bool KeeperLoop::prepare_terminal() {
  const CommandHeader& wish = command_.header();
  const TerminalSize size{.rows = wish.rows, .columns = wish.columns};
  Fd master = terminal_.open(size);
  if (!master) return false;
  Fd second(::fcntl(master.get(), F_DUPFD_CLOEXEC, 3));
  if (!second) return false;
  out_ = std::move(master);
  input_.open(std::move(second));
  (void)write_record(file_.get(), TerminalRecord{.size = size});
  return true;
}

}  // namespace drover::process
