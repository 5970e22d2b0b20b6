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
#include "base/newlines.h"

namespace drover::process {
namespace {

constexpr std::int64_t kKillAgainNs = 20 * kMs;  // KILL is repeated: a process may be forking.
constexpr size_t kPipeBytes = 1 << 20;
constexpr std::uint64_t kSmallOutput = 64 * 1024;  // More has allocated pages of the buffer.
// Exit status: the cradle must tell the daemon to read the journal.
constexpr int kExitUnreported = 3;

// The buffer for output. Pages that no output touches are never allocated, so a quiet keeper stays
// small.
char g_buffer[kPipeBytes];

volatile std::sig_atomic_t g_told_to_listen = 0;
void on_hangup(int) {
  g_told_to_listen = 1;
}

// While it polls, only these signals are not blocked.
const sigset_t& waiting_mask() {
  static const sigset_t mask = [] {
    sigset_t m;
    sigfillset(&m);
    sigdelset(&m, SIGCHLD);
    sigdelset(&m, SIGTERM);
    sigdelset(&m, SIGHUP);
    return m;
  }();
  return mask;
}

std::int64_t earlier(std::int64_t a, std::int64_t b) {
  return a == 0 || (b != 0 && b < a) ? b : a;
}

}  // namespace

bool KeeperPlace::find_runs_again() const {
  const Fd found(::open(runs_path, O_PATH | O_DIRECTORY | O_CLOEXEC));
  const bool is_there = found && ::dup3(found.get(), runs, O_CLOEXEC) == runs;
  if (!is_there) errno = ENOENT;
  return is_there;
}

void KeeperLoop::take_hangups() {
  struct sigaction action{};
  action.sa_handler = on_hangup;
  ::sigaction(SIGHUP, &action, nullptr);
}

KeeperLoop::KeeperLoop(const KeeperPlace& place, const Request& request,
                       volatile std::sig_atomic_t& told_to_stop)
    : place_(place),
      request_(request),
      told_to_stop_(told_to_stop),
      reports_(place.report, request.tag),
      output_(-1, 0),
      absence_(place.reader_away_ms) {}

Kept KeeperLoop::run() {
  keep();
  return {.exit_status = reports_.flush() ? 0 : kExitUnreported, .as_new = is_as_new()};
}

void KeeperLoop::keep() {
  char name[sizeof request_.directory + 4];
  std::snprintf(name, sizeof name, "%s.run", request_.directory);
  constexpr int kFlags = O_RDWR | O_CLOEXEC | O_NOFOLLOW;
  file_ = Fd(::openat(place_.runs, name, kFlags));
  if (!file_ && errno == ENOENT && place_.find_runs_again()) {
    file_ = Fd(::openat(place_.runs, name, kFlags));
  }
  if (!file_) return give_up(LaunchStep::folder, errno);
  const auto claimed = claim_journal(file_.get(), identity({.pid = ::getpid()}));
  if (!claimed) return give_up(LaunchStep::claim, claimed.error());
  if (!*claimed) return reports_.send(ReportKind::occupied, nullptr, 0);
  crash_point("keeper.signed");
  if (launch()) {
    while (mode_ != Mode::gone) {
      wait_for_something();
      advance();
    }
  }
  end();
}

// False if the command ran long enough for a control socket, which moved the keeper to another
// directory; if a process survived, which is still a child; if its cgroup was killed or has groups
// in it; if much output made the keeper large; or if the keeper could not launch the command,
// perhaps because an earlier one changed its limits.
bool KeeperLoop::is_as_new() const {
  const LaunchStep failed = status_.failed_step;
  const bool could_launch =
      failed == LaunchStep::none || failed == LaunchStep::cwd || failed == LaunchStep::exec;
  const bool cgroup_is_clean = !place_.cgroup->is_there() || place_.cgroup->can_be_used_again();
  return could_launch && !gave_up_ && cgroup_is_clean && !control_was_due_ &&
         sweep_.give_up_at == 0 && out_bytes_ + err_bytes_ < kSmallOutput;
}

std::int64_t KeeperLoop::next_deadline() const {
  std::int64_t at = earlier(wall_deadline_, drain_deadline_);
  if (mode_ == Mode::running) {
    at = earlier(earlier(at, control_at_), report_start_at_);
    at = earlier(at, growth_at_);
    if (command_.header().idle_timeout_ms != 0 && !is_stopping()) {
      at = earlier(at, last_output_at_ + command_.header().idle_timeout_ms * kMs);
    }
  }
  if (waits_for_reader() && absence_.final_at_ns() != 0) {
    at = earlier(at, absence_.final_at_ns());
  }
  at = earlier(at, sweep_.kill_at);
  return earlier(at, sweep_.give_up_at);
}

void KeeperLoop::wait_for_something() {
  pollfd polls[8 + ControlServer::kConnectionsMax];
  nfds_t n = 0;
  const bool waits = waits_for_reader();
  if (out_ && !waits) polls[n++] = {.fd = out_.get(), .events = POLLIN, .revents = 0};
  if (err_ && !waits) polls[n++] = {.fd = err_.get(), .events = POLLIN, .revents = 0};
  // Open the control socket now: the reader says through it how far it has read.
  if (waits && control_at_ != 0) control_at_ = now_;
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
  now_ = clock_.mono_ns();
  if (waits) last_output_at_ = now_;  // The command is not idle: we do not read what it prints.

  if (out_) pump(out_, Stream::out, out_bytes_);
  if (err_) pump(err_, Stream::err, err_bytes_);
  if (input_.wants_write()) input_.write_some();
  if (control_.is_open()) obey();
  if (output_.has_reader()) look_for_reader();
  reap();
  if (told_to_stop_ != 0) {  // A shutdown, for example. Not a cancel: judged by exit status.
    told_to_stop_ = 0;
    begin_stop(StopCause::none, command_.header().grace_ms);
  }
  if (g_told_to_listen != 0) {  // Somebody has removed the socket.
    g_told_to_listen = 0;
    if (control_.is_open()) control_.open(place_.controls, request_.directory);
  }
  reports_.send_pending();
}

void KeeperLoop::pump(Fd& pipe, Stream stream, std::uint64_t& total) {
  const size_t most = std::min<std::uint64_t>(sizeof g_buffer, output_.room());
  if (most == 0) return;
  const ssize_t n = ::read(pipe.get(), g_buffer, most);
  if (n < 0 && (errno == EAGAIN || errno == EINTR)) return;
  if (n <= 0) {  // End of file; EIO for a terminal.
    pipe.close();
    return;
  }
  // A pipe that was full should be larger; most never are.
  if (n == 65536) ::fcntl(pipe.get(), F_SETPIPE_SZ, static_cast<int>(kPipeBytes));
  total += static_cast<std::uint64_t>(n);
  last_output_at_ = now_;
  if (!directory_) make_directory();
  output_.append(stream, {g_buffer, static_cast<size_t>(n)}, clock_.wall_ms());
  note_growth({g_buffer, static_cast<size_t>(n)});
  if (command_.limits().output_ends != 0 && mode_ == Mode::running && !is_stopping() &&
      out_bytes_ + err_bytes_ > command_.header().output_bytes_max) {
    begin_stop(StopCause::output_limit, command_.header().grace_ms);
  }
}

// Only counts: a command that ends within a second causes no report.
void KeeperLoop::note_growth(std::string_view bytes) {
  lines_ += count_newlines(bytes);
  if (growth_at_ == 0) growth_at_ = std::max(now_, no_growth_to_);
}

void KeeperLoop::report_growth() {
  if (reports_.has_pending()) {  // The daemon is busy.
    growth_at_ = now_ + limits::kGrowthAfterMs * kMs;
    return;
  }
  growth_at_ = 0;
  no_growth_to_ = now_ + limits::kGrowthEveryMs * kMs;
  const GrowthReport grown{.bytes = out_bytes_ + err_bytes_, .lines = lines_};
  reports_.send(ReportKind::grown, &grown, sizeof grown);
}

void KeeperLoop::look_for_reader() {
  absence_.look(control_.has_reader(), now_);
  if (waits_for_reader() && absence_.is_final(now_)) output_.forget_reader();
}

// Creating a directory is the most expensive thing a keeper does, and most short commands print
// nothing. A reader of the output may have created it already. If it cannot be created, the next
// bytes try again.
void KeeperLoop::make_directory() {
  ::mkdirat(place_.runs, request_.directory, 0700);
  crash_point("output.folder_made");
  directory_ =
      Fd(::openat(place_.runs, request_.directory, O_PATH | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW));
  output_.live_in(directory_.get());
}

void KeeperLoop::obey() {
  control_.serve([this](const ControlMessage& message, std::string_view payload) {
    return obey(message, payload);
  });
}

int KeeperLoop::obey(const ControlMessage& message, std::string_view payload) {
  switch (message.op) {
    case ControlOp::signal:
      if (mode_ != Mode::running) return ESRCH;
      return ::kill(-leader_, static_cast<int>(message.argument)) == 0 ? 0 : errno;
    case ControlOp::stop:
      begin_stop(StopCause::cancel, std::max<std::int64_t>(0, message.argument));
      return 0;
    case ControlOp::input:
      if (message.argument != 0) resize(unpack_size(message.argument));
      return input_.add(payload);
    case ControlOp::input_end:
      if (!terminal_.is_open()) return input_.end();
      return input_.add(terminal_.end_of_input(input_.at_line_start()));
    case ControlOp::resize:
      if (mode_ != Mode::running) return ESRCH;
      if (!terminal_.is_open()) return ENOTTY;
      resize(unpack_size(message.argument));
      return 0;
    case ControlOp::read_to:
      if (message.argument < 0) {
        output_.forget_reader();
      } else if (command_.has_exact_reader()) {
        output_.was_read_to(static_cast<std::uint64_t>(message.argument));
      }
      return 0;
  }
  return EINVAL;
}

// Ignores an invalid size: the client had no terminal.
void KeeperLoop::resize(const TerminalSize& size) {
  if (!terminal_.is_open() || size.rows == 0 || size.columns == 0) return;
  if (!terminal_.resize(size)) return;
  (void)write_record(file_.get(), TerminalRecord{.size = size, .since_bytes = out_bytes_});
}

void KeeperLoop::begin_stop(StopCause cause, std::int64_t grace_ms) {
  if (mode_ == Mode::running && cause_ == StopCause::none) cause_ = cause;
  wall_deadline_ = 0;
  output_.widen_reserve(2);
  if (!sweep_.has_terminated() && grace_ms > 0) sweep_.terminate(clock_.wall_ms());
  crash_point("keeper.stop_begun");
  const std::int64_t kill_at = now_ + grace_ms * kMs;
  if (!sweep_.has_killed()) sweep_.kill_at = earlier(sweep_.kill_at, kill_at);
}

void KeeperLoop::check_deadlines() {
  if (mode_ == Mode::running && !is_stopping()) {
    const CommandHeader& wish = command_.header();
    if (wall_deadline_ != 0 && now_ >= wall_deadline_) {
      begin_stop(StopCause::timeout, wish.grace_ms);
    } else if (wish.idle_timeout_ms != 0 && now_ >= last_output_at_ + wish.idle_timeout_ms * kMs) {
      begin_stop(StopCause::idle_timeout, wish.grace_ms);
    }
  }
  if (mode_ == Mode::running && report_start_at_ != 0 && now_ >= report_start_at_) {
    report_start_at_ = 0;
    reports_.send(ReportKind::started, &started_, sizeof started_);
    crash_point("keeper.start_reported");
  }
  if (mode_ == Mode::running && growth_at_ != 0 && now_ >= growth_at_) report_growth();
  if (control_at_ != 0 && now_ >= control_at_) {
    // It runs longer than most: now it gets a full identity and a socket.
    control_at_ = 0;
    control_was_due_ = true;
    (void)write_record(file_.get(), identity(ref_of(::getpid())));
    control_.open(place_.controls, request_.directory);
  }
  if (sweep_.kill_at != 0 && now_ >= sweep_.kill_at) {
    if (!sweep_.has_killed()) sweep_.give_up_at = now_ + limits::kKillWaitMs * kMs;
    sweep_.kill(clock_.wall_ms());
    if (cgroup_ != nullptr) cgroup_->kill();
    crash_point("keeper.killed");
    sweep_.kill_at = now_ + kKillAgainNs;
  }
}

void KeeperLoop::advance() {
  check_deadlines();
  if (sweep_.give_up_at != 0 && now_ >= sweep_.give_up_at) {
    if (mode_ == Mode::running) status_ = {.signal = SIGKILL, .cause = cause_};  // Pending.
    give_up_sweep();
    return;
  }
  if (mode_ == Mode::draining && ((!out_ && !err_) || now_ >= drain_deadline_)) {
    drain_deadline_ = 0;
    mode_ = Mode::sweeping;
    crash_point("keeper.drained");
    if (!all_processes_gone()) {
      sweep_.count_orphans(descendants(::getpid()));
      begin_stop(StopCause::none, command_.header().grace_ms);
      check_deadlines();
    }
  }
  if (mode_ == Mode::sweeping) sweep();
}

}  // namespace drover::process
