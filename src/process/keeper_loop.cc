#include "process/keeper_loop.h"

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>

#include "base/crash_point.h"
#include "base/limits.h"

namespace drover::process {
namespace {

constexpr std::int64_t kMs = 1'000'000;
constexpr std::int64_t kKillAgainNs = 20 * kMs;     // KILL is repeated: somebody may be forking.
constexpr std::int64_t kStartReportedNs = 5 * kMs;  // Most commands end sooner; nobody sees it.
constexpr size_t kPipeBytes = 1 << 20;
constexpr std::uint64_t kSmallOutput = 64 * 1024;  // More has made pages of the buffer.
constexpr int kLastReads = 64;  // A command may have made its pipe larger than ours.
constexpr int kUntold = 3;      // Exit status: the cradle tells the daemon to look for itself.

// Output passes through here. Pages that no output touches are never made, so a quiet keeper
// stays small.
char g_buffer[kPipeBytes];

const SystemClock g_clock;

// Poll waits with everything blocked but these two.
const sigset_t& waiting_mask() {
  static const sigset_t mask = [] {
    sigset_t m;
    sigfillset(&m);
    sigdelset(&m, SIGCHLD);
    sigdelset(&m, SIGTERM);
    return m;
  }();
  return mask;
}

std::int64_t earlier(std::int64_t a, std::int64_t b) {
  return a == 0 || (b != 0 && b < a) ? b : a;
}

}  // namespace

KeeperLoop::KeeperLoop(const KeeperPlace& place, const Request& request,
                       volatile std::sig_atomic_t& told_to_stop)
    : place_(place),
      request_(request),
      told_to_stop_(told_to_stop),
      reports_(place.report, request.tag),
      output_(-1, 0) {}

Kept KeeperLoop::run() {
  keep();
  return {.exit_status = reports_.flush() ? 0 : kUntold, .as_new = is_as_new()};
}

void KeeperLoop::keep() {
  char name[sizeof request_.folder + 4];
  std::snprintf(name, sizeof name, "%s.run", request_.folder);
  file_ = Fd(::openat(place_.runs, name, O_RDWR | O_CLOEXEC | O_NOFOLLOW));
  if (!file_) return give_up(LaunchStep::folder, errno);
  const auto claimed = claim_journal(file_.get(), identity({.pid = ::getpid()}));
  if (!claimed) return give_up(LaunchStep::claim, claimed.error());
  if (!*claimed) return reports_.send(ReportKind::occupied, nullptr, 0);
  crash_point("keeper.signed");
  if (launch()) {
    while (phase_ != Phase::gone) {
      wait_for_something();
      advance();
    }
  }
  end();
}

// A command that went on long enough to be found by its socket has moved the keeper to another
// folder; one that survives is still its child; much output has made it large.
bool KeeperLoop::is_as_new() const {
  return !control_was_due_ && sweep_.give_up_at == 0 && out_bytes_ + err_bytes_ < kSmallOutput;
}

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
  now_ = g_clock.mono_ns();
  const auto failed = [&](LaunchStep step, int error) {
    status_.failed_step = step;
    status_.error_number = error;
    status_.wall_ms = g_clock.wall_ms();
    status_.mono_ns = g_clock.mono_ns();
    (void)write_record(file_.get(), status_);
    return false;
  };
  if (!command_.load(file_.get())) return failed(LaunchStep::spec, errno);
  crash_point("keeper.loaded");
  Ends ends;
  if (const auto step = prepare_pipes(ends); step != LaunchStep::none) return failed(step, errno);
  const CommandHeader& wish = command_.header();
  output_ = OutputWriter(-1, wish.output_bytes_max);
  const Spawned spawned = spawn(
      command_,
      {.in = ends.in ? ends.in.get() : place_.null, .out = ends.out.get(), .err = ends.err.get()});
  ends = {};
  if (spawned.pid == 0) return failed(spawned.failed_step, spawned.error_number);

  crash_point("keeper.spawned");
  leader_ = spawned.pid;
  sweep_.lead(leader_);
  last_output_at_ = now_ = g_clock.mono_ns();
  started_ = {.command = {.pid = leader_}, .wall_ms = g_clock.wall_ms(), .mono_ns = now_};
  // Without it recovery still finds the status, or the lock; the report does the daily work.
  (void)write_record(file_.get(), started_);
  crash_point("keeper.started_written");
  report_start_at_ = now_ + kStartReportedNs;
  if (wish.timeout_ms != 0) wall_deadline_ = now_ + wish.timeout_ms * kMs;
  control_at_ = now_ + limits::kControlAfterMs * kMs;
  return true;
}

LaunchStep KeeperLoop::prepare_pipes(Ends& ends) {
  int pipe[2];
  for (const auto& [ours, theirs] : {std::pair(&out_, &ends.out), std::pair(&err_, &ends.err)}) {
    if (::pipe2(pipe, O_CLOEXEC) != 0) return LaunchStep::pipes;
    *ours = Fd(pipe[0]);
    *theirs = Fd(pipe[1]);
    // Only our end: the command must find ordinary, blocking pipes.
    ::fcntl(ours->get(), F_SETFL, O_NONBLOCK);
  }
  if (command_.header().stdin_mode != static_cast<std::uint32_t>(StdinMode::pipe)) {
    return LaunchStep::none;
  }
  if (::pipe2(pipe, O_CLOEXEC) != 0) return LaunchStep::stdin_;
  ends.in = Fd(pipe[0]);
  ::fcntl(pipe[1], F_SETFL, O_NONBLOCK);
  input_.open(Fd(pipe[1]));
  return LaunchStep::none;
}

std::int64_t KeeperLoop::next_deadline() const {
  std::int64_t at = earlier(wall_deadline_, drain_deadline_);
  if (phase_ == Phase::running) {
    at = earlier(earlier(at, control_at_), report_start_at_);
    if (command_.header().idle_timeout_ms != 0 && !is_stopping()) {
      at = earlier(at, last_output_at_ + command_.header().idle_timeout_ms * kMs);
    }
  }
  at = earlier(at, sweep_.kill_at);
  return earlier(at, sweep_.give_up_at);
}

void KeeperLoop::wait_for_something() {
  pollfd polls[8 + ControlServer::kConnectionsMax];
  nfds_t n = 0;
  if (out_) polls[n++] = {.fd = out_.get(), .events = POLLIN, .revents = 0};
  if (err_) polls[n++] = {.fd = err_.get(), .events = POLLIN, .revents = 0};
  if (input_.wants_write()) polls[n++] = input_.poll();
  if (reports_.has_pending()) polls[n++] = reports_.poll();
  n += control_.add_to(polls + n);

  const std::int64_t deadline = next_deadline();
  timespec timeout{};
  if (deadline > now_) {
    timeout.tv_sec = (deadline - now_) / 1'000'000'000;
    timeout.tv_nsec = (deadline - now_) % 1'000'000'000;
  }
  ::ppoll(polls, n, deadline == 0 ? nullptr : &timeout, &waiting_mask());
  now_ = g_clock.mono_ns();

  if (out_) pump(out_, Stream::out, out_bytes_);
  if (err_) pump(err_, Stream::err, err_bytes_);
  if (input_.wants_write()) input_.write_some();
  if (control_.is_open()) obey();
  reap();
  if (told_to_stop_ != 0) {  // The machine goes down, say. By exit status, as nobody canceled.
    told_to_stop_ = 0;
    begin_stop(StopCause::none, command_.header().grace_ms);
  }
  reports_.send_pending();
}

void KeeperLoop::pump(Fd& pipe, Stream stream, std::uint64_t& total) {
  const ssize_t n = ::read(pipe.get(), g_buffer, sizeof g_buffer);
  if (n < 0 && (errno == EAGAIN || errno == EINTR)) return;
  if (n <= 0) {
    pipe.close();
    return;
  }
  // A pipe that comes in full wants to be larger; most never do.
  if (n == 65536) ::fcntl(pipe.get(), F_SETPIPE_SZ, static_cast<int>(kPipeBytes));
  total += static_cast<std::uint64_t>(n);
  last_output_at_ = now_;
  if (!folder_) make_folder();
  output_.append(stream, {g_buffer, static_cast<size_t>(n)}, g_clock.wall_ms());
}

// A folder is the dearest thing a keeper makes, and most commands that end quickly print nothing.
// A follower may have made it already. If it cannot be made, it is tried again with the next bytes.
void KeeperLoop::make_folder() {
  ::mkdirat(place_.runs, request_.folder, 0700);
  crash_point("output.folder_made");
  folder_ =
      Fd(::openat(place_.runs, request_.folder, O_PATH | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW));
  output_.live_in(folder_.get());
}

void KeeperLoop::obey() {
  control_.serve([&](const ControlMessage& message, std::string_view payload) {
    switch (message.op) {
      case ControlOp::signal:
        if (phase_ != Phase::running) return ESRCH;
        return ::kill(-leader_, static_cast<int>(message.argument)) == 0 ? 0 : errno;
      case ControlOp::stop:
        begin_stop(StopCause::cancel, std::max<std::int64_t>(0, message.argument));
        return 0;
      case ControlOp::input:
        return input_.add(payload);
      case ControlOp::input_end:
        return input_.end();
    }
    return EINVAL;
  });
}

void KeeperLoop::reap() {
  while (phase_ == Phase::running) {
    siginfo_t info{};
    if (::waitid(P_ALL, 0, &info, WEXITED | WNOHANG | WNOWAIT) != 0 || info.si_pid == 0) return;
    if (info.si_pid != leader_) {  // An orphan that landed here; nobody asks for its status.
      reap_one(info.si_pid);
      continue;
    }
    // Left unreaped: its number must stay its own while its group is signalled.
    status_.exited = info.si_code == CLD_EXITED ? 1 : 0;
    (info.si_code == CLD_EXITED ? status_.exit_code : status_.signal) = info.si_status;
    status_.core_dumped = info.si_code == CLD_DUMPED ? 1 : 0;
    status_.cause = cause_;
    status_.wall_ms = g_clock.wall_ms();
    status_.mono_ns = g_clock.mono_ns();
    crash_point("keeper.exit_seen");
    // At once, before anything else can go wrong.
    (void)write_record(file_.get(), status_);
    crash_point("keeper.status_written");
    phase_ = Phase::draining;
    wall_deadline_ = 0;
    drain_deadline_ = now_ + limits::kDrainMs * kMs;
    input_.close();
  }
}

void KeeperLoop::begin_stop(StopCause cause, std::int64_t grace_ms) {
  if (phase_ == Phase::running && cause_ == StopCause::none) cause_ = cause;
  wall_deadline_ = 0;
  if (!sweep_.has_terminated() && grace_ms > 0) sweep_.terminate(g_clock.wall_ms());
  crash_point("keeper.stop_begun");
  const std::int64_t kill_at = now_ + grace_ms * kMs;
  if (!sweep_.has_killed()) sweep_.kill_at = earlier(sweep_.kill_at, kill_at);
}

void KeeperLoop::check_deadlines() {
  if (phase_ == Phase::running && !is_stopping()) {
    const CommandHeader& wish = command_.header();
    if (wall_deadline_ != 0 && now_ >= wall_deadline_) {
      begin_stop(StopCause::timeout, wish.grace_ms);
    } else if (wish.idle_timeout_ms != 0 && now_ >= last_output_at_ + wish.idle_timeout_ms * kMs) {
      begin_stop(StopCause::idle_timeout, wish.grace_ms);
    }
  }
  if (phase_ == Phase::running && report_start_at_ != 0 && now_ >= report_start_at_) {
    report_start_at_ = 0;
    reports_.send(ReportKind::started, &started_, sizeof started_);
    crash_point("keeper.start_reported");
  }
  if (control_at_ != 0 && now_ >= control_at_) {
    // It goes on for longer than most: now it is worth being found, by name and by socket.
    control_at_ = 0;
    control_was_due_ = true;
    (void)write_record(file_.get(), identity(ref_of(::getpid())));
    control_.open(place_.controls, request_.folder);
  }
  if (sweep_.kill_at != 0 && now_ >= sweep_.kill_at) {
    if (!sweep_.has_killed()) sweep_.give_up_at = now_ + limits::kKillWaitMs * kMs;
    sweep_.kill(g_clock.wall_ms());
    crash_point("keeper.killed");
    sweep_.kill_at = now_ + kKillAgainNs;
  }
}

void KeeperLoop::advance() {
  check_deadlines();
  if (sweep_.give_up_at != 0 && now_ >= sweep_.give_up_at) {
    if (phase_ == Phase::running) status_ = {.signal = SIGKILL, .cause = cause_};  // Pending.
    sweep_.count_survivors();
    phase_ = Phase::gone;
    return;
  }
  if (phase_ == Phase::draining && ((!out_ && !err_) || now_ >= drain_deadline_)) {
    drain_deadline_ = 0;
    phase_ = Phase::sweeping;
    crash_point("keeper.drained");
    if (!everybody_is_gone()) {
      sweep_.count_orphans(descendants(::getpid()));
      begin_stop(StopCause::none, command_.header().grace_ms);
      check_deadlines();
    }
  }
  if (phase_ == Phase::sweeping) sweep();
}

// ECHILD is the proof, not an empty scan. The leader is reaped only once nobody else is seen.
bool KeeperLoop::everybody_is_gone() {
  if (!sweep_.is_leader_reaped()) {
    if (other_children(leader_) != Presence::nobody && !descendants(::getpid()).empty()) {
      return false;
    }
    reap_one(leader_);
    sweep_.leader_is_reaped();
  }
  errno = 0;
  while (reap_one(-1)) {
  }
  return errno == ECHILD;
}

// What each used is added up here: RUSAGE_CHILDREN would speak of earlier commands as well.
bool KeeperLoop::reap_one(std::int32_t which) {
  rusage used{};
  if (::wait4(which, nullptr, WNOHANG, &used) <= 0) return false;
  cpu_us_ += static_cast<std::uint64_t>(used.ru_utime.tv_sec + used.ru_stime.tv_sec) * 1'000'000 +
             static_cast<std::uint64_t>(used.ru_utime.tv_usec + used.ru_stime.tv_usec);
  peak_rss_bytes_ = std::max(peak_rss_bytes_, static_cast<std::uint64_t>(used.ru_maxrss) * 1024);
  return true;
}

void KeeperLoop::sweep() {
  if (everybody_is_gone()) phase_ = Phase::gone;
}

void KeeperLoop::end() {
  // What was in the pipes when the last one died, to its end; bounded, as a survivor may go on.
  for (int reads = 0; reads < kLastReads && (out_ || err_); ++reads) {
    if (out_) pump(out_, Stream::out, out_bytes_);
    if (err_) pump(err_, Stream::err, err_bytes_);
  }
  crash_point("keeper.all_gone");
  EndingRecord ending;
  sweep_.write_to(ending);
  ending.status = status_;
  ending.stdout_bytes = out_bytes_;
  ending.stderr_bytes = err_bytes_;
  ending.dropped_bytes = output_.dropped();
  ending.drained = !out_ && !err_ ? 1 : 0;
  ending.cpu_us = cpu_us_;
  ending.peak_rss_bytes = peak_rss_bytes_;
  ending.ended_wall_ms = g_clock.wall_ms();
  (void)write_record(file_.get(), ending);  // A full disk loses the receipt, not the status.
  crash_point("keeper.ending_written");
  command_.forget_environment(file_.get());
  crash_point("keeper.environment_forgotten");
  control_.close();
  crash_point("keeper.to_report");
  const EndedReport ended{.ending = ending, .started_wall_ms = started_.wall_ms};
  reports_.send(ReportKind::ended, &ended, sizeof ended);
  crash_point("keeper.end_reported");
}

}  // namespace drover::process
