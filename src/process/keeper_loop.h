// The keeper loop is the life of one command: launch the command, pump its output, enforce its
// deadlines, carry out control messages, and when it exits remove everything it started.
//
//   launch -> running -> draining -> sweeping -> gone
//
// It runs in a keeper, a process forked by the cradle without exec: single-threaded, small, with
// all signals blocked; while it waits, it accepts SIGCHLD, SIGTERM and SIGHUP. It knows no states
// of runs and nothing of the daemon but a socket for reports, which may be closed at any time.
#pragma once

#include <poll.h>

#include <csignal>
#include <cstdint>
#include <string_view>

#include "base/clock.h"
#include "base/fd.h"
#include "base/journal.h"
#include "base/limits.h"
#include "base/output_file.h"
#include "process/cgroup.h"
#include "process/command.h"
#include "process/control_server.h"
#include "process/fork_count.h"
#include "process/input_buffer.h"
#include "process/pid_ref.h"
#include "process/reader_absence.h"
#include "process/report.h"
#include "process/report_sender.h"
#include "process/spawn.h"
#include "process/sweep.h"
#include "process/terminal.h"

namespace drover::process {

inline constexpr std::int64_t kMs = 1'000'000;  // A millisecond, in nanoseconds.

// The things that a keeper inherits from its cradle.
struct KeeperPlace {
  int runs = -1;  // The directory of all runs.
  const char* runs_path = nullptr;
  int report = -1;  // Non-blocking; the daemon may be gone.
  int null = -1;    // /dev/null
  const char* controls = nullptr;
  const char* cgroups = nullptr;  // Where cgroups are created (cgroup_place.h); empty: nowhere.
  Cgroup* cgroup = nullptr;       // The keeper's own, for one command after another.
  const BootId* boot = nullptr;
  ForkCount* forks = nullptr;
  std::int64_t reader_away_ms = limits::kReaderAwayMs;  // See reader_absence.h.

  // After somebody has removed the directory of all runs and created it again: opens the new one
  // under the same descriptor. False, with errno ENOENT: there is none.
  bool find_runs_again() const;
};

struct Kept {
  int exit_status = 0;  // The keeper's: 0 if all reports were sent, or the daemon is gone.
  bool as_new = false;  // Like a new keeper: no child, no socket, no large buffer.
};

class KeeperLoop {
 public:
  // Once in each keeper, before its first loop: SIGHUP makes it create its control socket again.
  static void take_hangups();

  // SIGTERM sets `told_to_stop`.
  KeeperLoop(const KeeperPlace& place, const Request& request,
             volatile std::sig_atomic_t& told_to_stop);

  Kept run();

 private:
  enum class Mode : std::uint8_t { running, draining, sweeping, gone };
  // The command's ends of its pipes. `out` and `err` stay open until it has exited: the program or
  // the kernel closes its copies before we learn of the exit, and that would wake us for nothing.
  // `in` is closed once the command has it; not set: the command reads /dev/null.
  struct CommandEnds {
    Fd in, out, err;
  };

  void keep();
  bool launch();
  int take_lock();
  void unlock();
  LaunchStep prepare_pipes();
  bool prepare_terminal();
  Bounds prepare_bounds();
  void mark_output(MarksRecord& marks) const;
  IdentityRecord identity(const ProcessRef& keeper) const;
  void make_directory();
  void give_up(LaunchStep step, int error);
  bool is_as_new() const;

  void wait_for_something();
  std::int64_t next_deadline() const;
  void check_deadlines();
  void reap();
  void pump(Fd& pipe, Stream stream, std::uint64_t& total);
  void count_unread(const Fd& pipe, std::uint64_t& total);
  void note_growth(std::string_view bytes);
  void report_growth();
  bool waits_for_reader() const { return output_.room() == 0; }
  void look_for_reader();
  void obey();
  int obey(const ControlMessage& message, std::string_view payload);
  void resize(const TerminalSize& size);
  bool is_stopping() const { return sweep_.has_terminated() || sweep_.kill_at != 0; }
  void begin_stop(StopCause cause, std::int64_t grace_ms);
  void advance();
  bool all_processes_gone();
  bool is_cgroup_empty() const;
  void give_up_sweep();
  void sweep();
  void reap_others();
  bool reap_one(std::int32_t which);
  void write_status();
  void wait_for_room();
  void end();

  SystemClock clock_;
  KeeperPlace place_;
  Request request_;
  volatile std::sig_atomic_t& told_to_stop_;
  ReportSender reports_;
  // The run's file; its directory, once it has printed something.
  Fd file_, directory_;
  Fd out_, err_;
  Fd lock_;            // The command's lock file, locked until everything that it started is gone.
  Fd directory_lock_;  // The same for the directory to lock.
  LoadedCommand command_;
  OutputWriter output_;
  ControlServer control_;
  InputBuffer input_;
  CommandEnds command_ends_;
  Terminal terminal_;
  Sweep sweep_;
  Cgroup limited_;            // Of this command alone, if it has resource limits.
  Cgroup* cgroup_ = nullptr;  // The one that contains the command. Null: none does.

  Mode mode_ = Mode::running;
  std::int32_t leader_ = 0;
  StartedRecord started_;
  StatusRecord status_;
  UsageRecord usage_;                 // Of all reaped processes.
  std::uint64_t peak_rss_bytes_ = 0;  // Of the largest of them.
  std::uint64_t out_bytes_ = 0, err_bytes_ = 0;
  std::uint64_t lines_ = 0;  // Newlines in both.
  StopCause cause_ = StopCause::none;
  bool control_was_due_ = false;
  bool gave_up_ = false;     // Before there was a journal.
  bool lacks_room_ = false;  // The disk was too full for the status.

  // All on CLOCK_MONOTONIC in nanoseconds; 0: not set. A sleeping machine causes no timeout (R10).
  std::int64_t now_ = 0, last_output_at_ = 0;
  ReaderAbsence absence_;
  std::int64_t wall_deadline_ = 0, report_start_at_ = 0, control_at_ = 0, drain_deadline_ = 0;
  std::int64_t growth_at_ = 0;     // Report the growth of the output then; 0: there is none.
  std::int64_t no_growth_to_ = 0;  // Until then none is reported.
};

}  // namespace drover::process
