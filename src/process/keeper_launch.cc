// How a keeper starts its command: its file, its pipes, its process.
#include "process/keeper_loop.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "base/crash_point.h"
#include "base/limits.h"

namespace drover::process {
namespace {

constexpr std::int64_t kStartReportedNs =
    5 * kMs;  // Most commands exit sooner, and then need no report of their start.

}  // namespace

IdentityRecord KeeperLoop::identity(const ProcessRef& keeper) const {
  IdentityRecord record{.keeper = keeper};
  std::memcpy(record.boot_id, place_.boot->text, sizeof record.boot_id);
  return record;
}

void KeeperLoop::give_up(LaunchStep step, int error) {
  const LaunchFailure failure{.step = step, .error_number = error};
  reports_.send(ReportKind::refused, &failure, sizeof failure);
}

bool KeeperLoop::launch() {
  now_ = clock_.mono_ns();
  const auto failed = [&](LaunchStep step, int error) {
    status_.failed_step = step;
    status_.error_number = error;
    status_.wall_ms = clock_.wall_ms();
    status_.mono_ns = clock_.mono_ns();
    (void)write_record(file_.get(), status_);
    command_ends_ = {};
    terminal_.let_go();
    return false;
  };
  if (!command_.load(file_.get())) return failed(LaunchStep::spec, errno);
  crash_point("keeper.loaded");
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
  output_ = OutputWriter(-1, wish.output_bytes_max);
  const Spawned spawned = spawn(command_, stdio, prepare_bounds());
  command_ends_.in.close();
  if (spawned.pid == 0) return failed(spawned.failed_step, spawned.error_number);

  crash_point("keeper.spawned");
  leader_ = spawned.pid;
  sweep_.lead(leader_);
  last_output_at_ = now_ = clock_.mono_ns();
  started_ = {.command = {.pid = leader_}, .wall_ms = clock_.wall_ms(), .mono_ns = now_};
  // If this fails, recovery still finds the status, or the lock; usually the report suffices.
  (void)write_record(file_.get(), started_);
  crash_point("keeper.started_written");
  report_start_at_ = now_ + kStartReportedNs;
  if (wish.timeout_ms != 0) wall_deadline_ = now_ + wish.timeout_ms * kMs;
  control_at_ = now_ + limits::kControlAfterMs * kMs;
  return true;
}

Bounds KeeperLoop::prepare_bounds() {
  const ResourceLimits& wish = command_.limits();
  if (!wish.any()) return {};
  usage_.held = cgroup_.make(place_.cgroups, request_.directory, wish);
  return {.cgroup_entry = cgroup_.entry(),
          .data_bytes = usage_.held.memory == Enforcer::rlimit ? wish.memory_bytes : 0,
          .nice = wish.nice};
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
