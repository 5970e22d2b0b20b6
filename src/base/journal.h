// A journal is where a keeper writes down who it is, that its command was started, how it exited,
// and what was done to end it: the first kJournalBytes of the run's file, whose rest is the command
// (process/command.h). Daemon and keeper share this format; its document is docs/keeper-files.md.
//
// It is claim, lock, identity, status and ending in one: whoever locks the file and finds nobody's
// name in it may put its own there; the OFD lock says that the keeper lives; and each fact is a
// record with a checksum in a place of its own. Writing one costs one pwrite; a torn one does not
// count.
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

// The steps between a request and a running command, in order. A failed one is named (H6).
enum class LaunchStep : std::uint32_t {
  none,
  folder,
  claim,
  spec,
  pipes,
  stdin_,
  spawn,
  session,
  cwd,
  exec,
  limits  // Between cwd and exec.
};
std::string_view name(LaunchStep step);

// Why a keeper began to end its command; `none` if the command ended by itself.
// out_of_memory is the kernel's doing: the keeper saw that it was.
enum class StopCause : std::uint32_t {
  none,
  cancel,
  timeout,
  idle_timeout,
  output_limit,
  out_of_memory
};

// (boot id, pid, start time) names a process for ever; a bare pid does not. Looking up a start time
// costs a read of /proc, so keepers add it once they have lived for kControlAfterMs: until then it
// is 0, and nobody can take a stranger for them, because nobody signals a process without it.
struct ProcessRef {
  std::int32_t pid = 0;
  std::uint32_t reserved = 0;
  std::uint64_t start_ticks = 0;  // Field 22 of /proc/<pid>/stat.
  friend bool operator==(const ProcessRef&, const ProcessRef&) = default;
};

struct IdentityRecord {
  char boot_id[40] = {};
  ProcessRef keeper;  // pid 0: no keeper, and none may come (forbid_launch).
};

struct StartedRecord {
  ProcessRef command;
  std::int64_t wall_ms = 0;
  std::int64_t mono_ns = 0;
};

// Exactly one of the three is true: exited, killed, or never launched (failed_step is set).
struct StatusRecord {
  std::int32_t exited = 0;
  std::int32_t exit_code = 0;
  std::int32_t signal = 0;
  std::int32_t core_dumped = 0;
  LaunchStep failed_step = LaunchStep::none;
  std::int32_t error_number = 0;
  StopCause cause = StopCause::none;  // What had been begun when the exit was seen (R4).
  std::uint32_t reserved = 0;
  std::int64_t wall_ms = 0;
  std::int64_t mono_ns = 0;
};

// How large the command's terminal is, if it has one: as it began, and after every change.
struct TerminalSize {
  std::uint16_t rows = 0;
  std::uint16_t columns = 0;
  friend bool operator==(const TerminalSize&, const TerminalSize&) = default;
};
struct TerminalRecord {
  TerminalSize size;
  std::uint32_t reserved = 0;
  std::uint64_t since_bytes = 0;  // What had been printed when it took that size.
};

struct NamedProcess {
  std::int32_t pid = 0;
  char name[20] = {};
};

// The receipt: what was signalled, when, what survived, how much was drained.
struct EndingRecord {
  StatusRecord status;
  std::uint64_t stdout_bytes = 0;
  std::uint64_t stderr_bytes = 0;
  std::uint64_t cpu_us = 0;
  std::uint64_t peak_rss_bytes = 0;
  std::int64_t term_wall_ms = 0;  // 0: never sent.
  std::int64_t kill_wall_ms = 0;
  std::int64_t ended_wall_ms = 0;
  std::uint32_t signalled = 0;  // Processes that were sent TERM or KILL by us.
  std::uint32_t orphans = 0;    // Those that had outlived the command.
  std::uint32_t survivors = 0;  // Could not be ended within the bound.
  std::uint32_t drained = 0;    // 1: both pipes were read to their end.
  NamedProcess killed_names[limits::kReceiptNamesMax];
  NamedProcess survivor_names[limits::kReceiptNamesMax];
  std::uint64_t dropped_bytes = 0;  // Printed, and not kept: the disk was full.
};

// What the command and all it started have used, written before the ending.
struct UsageRecord {
  std::uint64_t user_us = 0;
  std::uint64_t system_us = 0;
  std::uint64_t read_bytes = 0;         // From disks, not from a cache.
  std::uint64_t written_bytes = 0;      // To disks.
  std::uint64_t memory_peak_bytes = 0;  // Of all together; 0: there was no cgroup to tell.
  LimitEnforcement held;                // What held its limits in fact.
  std::uint32_t reserved = 0;
};
static_assert(sizeof(UsageRecord) == 48);

inline constexpr size_t kJournalBytes = 1024;

// Everything a journal says. A part that was never written, or torn, is absent.
struct JournalText {
  std::optional<IdentityRecord> identity;
  std::optional<TerminalRecord> terminal;
  std::optional<StartedRecord> started;
  std::optional<StatusRecord> status;
  std::optional<EndingRecord> ending;
  std::optional<UsageRecord> usage = {};
};

// The writer's side: records into an open, claimed journal.
Result<> write_record(int journal, const IdentityRecord& record);
Result<> write_record(int journal, const TerminalRecord& record);
Result<> write_record(int journal, const StartedRecord& record);
Result<> write_record(int journal, const StatusRecord& record);
Result<> write_record(int journal, const EndingRecord& record);
Result<> write_record(int journal, const UsageRecord& record);

JournalText read_journal(int journal);

// Claims an open run file for `who`: takes its lock, for as long as the descriptor is open, and
// writes the identity. False: somebody else came first. The error is an errno.
std::expected<bool, int> claim_journal(int journal, const IdentityRecord& who);

// What a stranger can learn of a journal without taking anything.
enum class Liveness {
  unclaimed,  // Nobody ever began, or there is no file to begin with.
  alive,      // The lock is held.
  dead,       // There is a name in it and nobody holds its lock.
};
struct Probe {
  Liveness liveness = Liveness::unclaimed;
  JournalText text;
};
Result<Probe> probe_journal(const std::string& run_file);

// Makes sure that no keeper will ever begin with this file: true if that is so now, false if one
// has begun. A keeper that has not locked it yet loses.
Result<bool> forbid_launch(const std::string& run_file);

// Takes that back, for another launch of the same file.
Result<> allow_launch(const std::string& run_file);

}  // namespace drover
