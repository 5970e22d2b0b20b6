// A journal is the first kJournalBytes of a run's file, in which the keeper records who it is, that
// its command was started, how the command exited, and what was done to stop it. The rest of the
// file is the command (process/command.h). Daemon and keeper share this format;
// docs/keeper-files.md describes it.
//
// It is claim, lock, identity, status and ending in one. A keeper that locks the file and finds no
// identity in it may write its own. The OFD lock shows that the keeper is alive. Each fact is a
// record with a checksum at a fixed offset; writing one takes one pwrite, and a torn record is
// ignored.
#pragma once

#include <cstdint>
#include <expected>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>

#include "base/fd.h"
#include "base/limits.h"
#include "base/resource_limits.h"
#include "base/result.h"

namespace drover {

// The steps between a request and a running command, in order. An error names the step that failed
// (H6).
enum class LaunchStep : std::uint32_t {
  none,
  folder,  // Opens the run's file. Stored and shown under this name, which is older than the file.
  claim,
  spec,
  pipes,
  stdin_,
  spawn,
  session,
  cwd,
  exec,
  limits,  // Between cwd and exec.
  lock     // Between spec and pipes: the keeper locks the command's lock file.
};
inline constexpr LaunchStep kLastLaunchStep = LaunchStep::lock;
std::string_view name(LaunchStep step);

// Why a keeper stopped its command; `none` if the command exited by itself. For out_of_memory the
// kernel killed it and the keeper noticed.
enum class StopCause : std::uint32_t {
  none,
  cancel,
  timeout,
  idle_timeout,
  output_limit,
  out_of_memory
};

// (boot id, pid, start time) names a process forever; a bare pid does not. Looking up a start time
// takes a read of /proc, so a keeper adds its own once it has lived for kControlAfterMs. Until then
// it is 0, and no signal is sent: a process without a start time is never signaled.
struct ProcessRef {
  std::int32_t pid = 0;
  std::uint32_t reserved = 0;
  std::uint64_t start_ticks = 0;  // Field 22 of /proc/<pid>/stat.
  friend bool operator==(const ProcessRef&, const ProcessRef&) = default;
};

struct IdentityRecord {
  char boot_id[40] = {};
  ProcessRef keeper;  // pid 0: no keeper, and none may start (forbid_launch).
};

struct StartedRecord {
  ProcessRef command;
  std::int64_t wall_ms = 0;
  std::int64_t mono_ns = 0;
};

// Exactly one holds: exited, killed, or never launched (failed_step is set).
struct StatusRecord {
  std::int32_t exited = 0;
  std::int32_t exit_code = 0;
  std::int32_t signal = 0;
  std::int32_t core_dumped = 0;
  LaunchStep failed_step = LaunchStep::none;
  std::int32_t error_number = 0;
  StopCause cause = StopCause::none;  // The stop in progress when the exit was seen (R4).
  std::uint32_t reserved = 0;
  std::int64_t wall_ms = 0;
  std::int64_t mono_ns = 0;
};

// The size of the command's terminal, if it has one: at the start, and after every change.
struct TerminalSize {
  std::uint16_t rows = 0;
  std::uint16_t columns = 0;
  friend bool operator==(const TerminalSize&, const TerminalSize&) = default;
};
struct TerminalRecord {
  TerminalSize size;
  std::uint32_t reserved = 0;
  std::uint64_t since_bytes = 0;  // Bytes printed before it took that size.
};

struct NamedProcess {
  std::int32_t pid = 0;
  char name[20] = {};
};

// The receipt: which signals were sent when, which processes survived, whether both pipes were read
// to the end.
struct EndingRecord {
  StatusRecord status;
  std::uint64_t stdout_bytes = 0;
  std::uint64_t stderr_bytes = 0;
  std::uint64_t cpu_us = 0;
  std::uint64_t peak_rss_bytes = 0;
  std::int64_t term_wall_ms = 0;  // 0: never sent.
  std::int64_t kill_wall_ms = 0;
  std::int64_t ended_wall_ms = 0;
  std::uint32_t signaled = 0;   // Processes to which the keeper sent TERM or KILL.
  std::uint32_t orphans = 0;    // Processes that outlived the command.
  std::uint32_t survivors = 0;  // Processes that were alive kKillWaitMs after KILL.
  std::uint32_t drained = 0;    // 1: both pipes were read to the end.
  NamedProcess killed_names[limits::kReceiptNamesMax];
  NamedProcess survivor_names[limits::kReceiptNamesMax];
  std::uint64_t dropped_bytes = 0;  // Printed but not kept.
};

// On whose word no process of the command was left at its end.
enum class Witness : std::uint32_t {
  none,          // Nobody's: there are survivors, or an older keeper did not record it.
  no_children,   // The kernel's, that the keeper has no children (ECHILD).
  empty_cgroup,  // The same, and that the command's cgroup is empty.
};
std::string_view name(Witness witness);

// The resources that the command and its descendants used; written before the ending.
struct UsageRecord {
  std::uint64_t user_us = 0;
  std::uint64_t system_us = 0;
  std::uint64_t read_bytes = 0;         // From disks, not from a cache.
  std::uint64_t written_bytes = 0;      // To disks.
  std::uint64_t memory_peak_bytes = 0;  // Of all processes together; 0: not known without a cgroup.
  LimitEnforcement enforced;            // How the resource limits were in fact applied.
  Witness witness = Witness::none;      // Not used by the command, but known at the same time.
};
static_assert(sizeof(UsageRecord) == 48);

// How the processes of a command can be recognized once its keeper is dead, besides by their
// environment: by the session, the output and the cgroup that they inherited. Written with the
// start.
struct MarksRecord {
  // The inodes of the pipes of stdout and stderr. With a pty: that of the terminal, and 0.
  std::uint64_t output[2] = {};
  std::uint64_t device = 0;  // The st_dev of both.
  std::int64_t made_ns = 0;  // With a pty: its ctime, because its number is reused. Pipes: 0.
  // The command started within these, in clock ticks since boot like ProcessRef::start_ticks.
  std::uint64_t first_ticks = 0;
  std::uint64_t last_ticks = 0;
  // The number of processes created since boot, at most a minute before the start. 0: unknown.
  std::uint64_t forks = 0;
  std::uint64_t cgroup = 0;  // The inode of its cgroup. 0: it has none.
  std::uint64_t reserved[2] = {};
};
static_assert(sizeof(MarksRecord) == 80);

// A cancel that the daemon could not record in its store, because the disk was full, for example.
// Written by the daemon; the next daemon repeats it.
struct CancelRecord {
  std::int64_t wall_ms = 0;
  std::int64_t grace_ms = 0;
};

inline constexpr size_t kJournalBytes = 1024;

// The contents of a journal. A part that was never written, or is torn, is absent.
struct JournalText {
  std::optional<IdentityRecord> identity;
  std::optional<TerminalRecord> terminal;
  std::optional<StartedRecord> started;
  std::optional<StatusRecord> status;
  std::optional<EndingRecord> ending;
  std::optional<UsageRecord> usage = {};
  std::optional<MarksRecord> marks = {};  // Absent in those of older keepers.
  std::optional<CancelRecord> cancel = {};
};

// For the keeper: write a record into an open, claimed journal.
Result<> write_record(int journal, const IdentityRecord& record);
Result<> write_record(int journal, const TerminalRecord& record);
Result<> write_record(int journal, const StartedRecord& record);
Result<> write_record(int journal, const StatusRecord& record);
Result<> write_record(int journal, const EndingRecord& record);
Result<> write_record(int journal, const UsageRecord& record);
// Both records in one write: they are neighbors.
Result<> write_start(int journal, const StartedRecord& started, const MarksRecord& marks);

JournalText read_journal(int journal);

// For the daemon. On disk when it returns.
Result<> write_cancel(const std::string& run_file, const CancelRecord& record);

// Claims an open run file for `who`: takes its lock, which lasts as long as the descriptor is open,
// and writes the identity. False: another process claimed it first. The error is an errno.
std::expected<bool, int> claim_journal(int journal, const IdentityRecord& who);

// The state of a journal's keeper, as the lock and the identity show it.
enum class Liveness {
  unclaimed,  // No keeper ever claimed it, or the file is missing.
  alive,      // The lock is taken.
  dead,       // An identity is recorded, but its lock is free.
};
struct JournalState {
  Liveness liveness = Liveness::unclaimed;
  JournalText text;
};
// Reads a journal without taking its lock. A missing file counts as unclaimed.
Result<JournalState> read_journal_state(const std::string& run_file);

// Makes sure that no keeper will ever start with this file. True: that is so now. False: a keeper
// has claimed it. A keeper that has not locked the file yet finds it claimed.
Result<bool> forbid_launch(const std::string& run_file);

// Undoes forbid_launch, for another launch of the same file.
Result<> allow_launch(const std::string& run_file);

}  // namespace drover
