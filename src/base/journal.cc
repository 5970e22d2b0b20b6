#include "base/journal.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>

#include "base/crash_point.h"
#include "base/fnv.h"
#include "base/ownership.h"

namespace drover {
namespace {

// The offset of each record. Version and kind are part of the checksum's seed.
constexpr off_t kIdentityAt = 0;
constexpr off_t kTerminalAt = 64;
constexpr off_t kStartedAt = 128;
constexpr off_t kMarksAt = 168;
constexpr off_t kStatusAt = 256;
constexpr off_t kEndingAt = 384;
constexpr off_t kUsageAt = 904;
constexpr off_t kCancelAt = 960;
constexpr std::uint64_t kVersion = 1;

std::uint64_t checksum(const void* bytes, size_t size, std::uint64_t seed) {
  return fnv({static_cast<const char*>(bytes), size}, kFnvBegin ^ seed);
}

template <class Record>
constexpr size_t kSlotBytes = sizeof(std::uint64_t) + sizeof(Record);

template <class Record>
void fill(char* slot, const Record& record, off_t at) {
  static_assert(std::is_trivially_copyable_v<Record>);
  const std::uint64_t sum =
      checksum(&record, sizeof record, kVersion << 32 | static_cast<std::uint64_t>(at));
  std::memcpy(slot, &sum, sizeof sum);
  std::memcpy(slot + sizeof sum, &record, sizeof record);
}

template <size_t size>
Result<> write_at(int journal, const std::array<char, size>& slot, off_t at) {
  const ssize_t n = ::pwrite(journal, slot.data(), slot.size(), at);
  if (n != static_cast<ssize_t>(slot.size())) {
    const int error = n < 0 ? errno : ENOSPC;
    auto failed = fail_errno("cannot write the journal", error);
    errno = error;
    return failed;
  }
  return {};
}

template <class Record>
Result<> put(int journal, const Record& record, off_t at) {
  std::array<char, kSlotBytes<Record>> slot{};
  fill(slot.data(), record, at);
  return write_at(journal, slot, at);
}

template <class Record>
std::optional<Record> get(int journal, off_t at) {
  std::array<char, kSlotBytes<Record>> slot{};
  if (::pread(journal, slot.data(), slot.size(), at) != static_cast<ssize_t>(slot.size())) {
    return std::nullopt;
  }
  Record record;
  std::uint64_t sum = 0;
  std::memcpy(&sum, slot.data(), sizeof sum);
  std::memcpy(&record, slot.data() + sizeof sum, sizeof record);
  if (sum != checksum(&record, sizeof record, kVersion << 32 | static_cast<std::uint64_t>(at))) {
    return std::nullopt;
  }
  return record;
}

static_assert(8 + sizeof(IdentityRecord) <= kTerminalAt - kIdentityAt);
static_assert(8 + sizeof(TerminalRecord) <= kStartedAt - kTerminalAt);
static_assert(8 + sizeof(StartedRecord) <= kStatusAt - kStartedAt);
static_assert(8 + sizeof(StatusRecord) <= kEndingAt - kStatusAt);
static_assert(8 + sizeof(EndingRecord) <= kUsageAt - kEndingAt);
static_assert(8 + sizeof(UsageRecord) <= kCancelAt - kUsageAt);
static_assert(kCancelAt + 8 + sizeof(CancelRecord) <= kJournalBytes);

// False: another process has it. A file system that cannot lock is an error, and says nothing about
// the owner.
std::expected<bool, int> take_lock(int fd) {
  struct flock lock{};
  lock.l_type = F_WRLCK;
  if (::fcntl(fd, F_OFD_SETLK, &lock) == 0) return true;
  if (errno == EAGAIN || errno == EACCES) return false;
  return std::unexpected(errno);
}

std::expected<bool, int> is_locked(int fd) {
  struct flock lock{};
  lock.l_type = F_WRLCK;
  if (::fcntl(fd, F_OFD_GETLK, &lock) != 0) return std::unexpected(errno);
  return lock.l_type != F_UNLCK;
}

std::unexpected<Error> cannot_lock(const std::string& run_file, int error) {
  return fail_errno("cannot lock " + run_file, error);
}

// Opens a run's file. Empty: there is none. A link, a directory or a socket in its place counts as
// none: no keeper can start with it, and no keeper has written to it.
Result<Fd> open_journal(const std::string& run_file) {
  Fd fd = open_file(run_file, O_RDWR | O_CLOEXEC | O_NOFOLLOW);
  const bool is_none =
      !fd && (errno == ENOENT || errno == ELOOP || errno == EISDIR || errno == ENXIO);
  if (!fd && !is_none) return fail_errno("cannot open " + run_file, errno);
  struct stat info{};
  if (fd && ::fstat(fd.get(), &info) != 0) return fail_errno("cannot stat " + run_file, errno);
  if (auto own = fd ? check_own(info, run_file) : Result<>(); !own) {
    return std::unexpected(own.error());
  }
  return fd;
}

// Any process of this user can write a record with a correct checksum, so the text may lack its
// end.
std::optional<IdentityRecord> identity_in(int journal) {
  auto identity = get<IdentityRecord>(journal, kIdentityAt);
  if (identity) identity->boot_id[sizeof identity->boot_id - 1] = '\0';
  return identity;
}

}  // namespace

std::string_view name(Witness witness) {
  switch (witness) {
    case Witness::none:
      return "";
    case Witness::no_children:
      return "no_children";
    case Witness::empty_cgroup:
      return "empty_cgroup";
  }
  return "";
}

std::string_view name(LaunchStep step) {
  constexpr std::array<std::string_view, 12> kNames{"none",  "folder", "claim",  "spec",
                                                    "pipes", "stdin",  "spawn",  "session",
                                                    "cwd",   "exec",   "limits", "lock"};
  const auto i = static_cast<size_t>(step);
  return i < kNames.size() ? kNames[i] : "unknown";
}

Result<> write_record(int journal, const IdentityRecord& r) {
  return put(journal, r, kIdentityAt);
}
Result<> write_record(int journal, const TerminalRecord& r) {
  return put(journal, r, kTerminalAt);
}
Result<> write_record(int journal, const StartedRecord& r) {
  return put(journal, r, kStartedAt);
}
Result<> write_record(int journal, const StatusRecord& r) {
  return put(journal, r, kStatusAt);
}
Result<> write_record(int journal, const EndingRecord& r) {
  return put(journal, r, kEndingAt);
}
Result<> write_record(int journal, const UsageRecord& r) {
  return put(journal, r, kUsageAt);
}

Result<> write_start(int journal, const StartedRecord& started, const MarksRecord& marks) {
  static_assert(kStartedAt + kSlotBytes<StartedRecord> == kMarksAt);
  static_assert(kMarksAt + kSlotBytes<MarksRecord> <= kStatusAt);
  std::array<char, kSlotBytes<StartedRecord> + kSlotBytes<MarksRecord>> slots{};
  fill(slots.data(), started, kStartedAt);
  fill(slots.data() + kSlotBytes<StartedRecord>, marks, kMarksAt);
  return write_at(journal, slots, kStartedAt);
}

JournalText read_journal(int journal) {
  return {identity_in(journal),
          get<TerminalRecord>(journal, kTerminalAt),
          get<StartedRecord>(journal, kStartedAt),
          get<StatusRecord>(journal, kStatusAt),
          get<EndingRecord>(journal, kEndingAt),
          get<UsageRecord>(journal, kUsageAt),
          get<MarksRecord>(journal, kMarksAt),
          get<CancelRecord>(journal, kCancelAt)};
}

Result<> write_cancel(const std::string& run_file, const CancelRecord& record) {
  const auto fd = open_journal(run_file);
  if (!fd) return std::unexpected(fd.error());
  if (!*fd) return fail_errno("cannot open " + run_file, ENOENT);
  if (auto written = put(fd->get(), record, kCancelAt); !written) return written;
  return ::fdatasync(fd->get()) == 0 ? Result<>{} : fail_errno("cannot write " + run_file, errno);
}

std::expected<bool, int> claim_journal(int journal, const IdentityRecord& who) {
  if (const auto taken = take_lock(journal); !taken || !*taken) return taken;
  crash_point("journal.locked");
  // An identity stays without the lock: that of a dead keeper, or the pid 0 of forbid_launch.
  if (identity_in(journal)) return false;
  if (!write_record(journal, who)) return std::unexpected(errno);
  return true;
}

Result<JournalState> read_journal_state(const std::string& run_file) {
  const auto fd = open_journal(run_file);
  if (!fd) return std::unexpected(fd.error());
  if (!*fd) return JournalState{};
  // Check the lock first: everything that a keeper wrote before it released the lock can then be
  // read.
  const auto alive = is_locked(fd->get());
  if (!alive) return cannot_lock(run_file, alive.error());
  JournalState journal{.text = read_journal(fd->get())};
  if (*alive) {
    journal.liveness = Liveness::alive;
  } else if (journal.text.identity) {
    journal.liveness = Liveness::dead;
  }
  return journal;
}

Result<bool> forbid_launch(const std::string& run_file) {
  const auto fd = open_journal(run_file);
  if (!fd) return std::unexpected(fd.error());
  if (!*fd) return true;  // There is no file to start with.
  const auto taken = take_lock(fd->get());
  if (!taken) return cannot_lock(run_file, taken.error());
  if (!*taken) return false;
  const auto identity = identity_in(fd->get());
  if (identity) return identity->keeper.pid == 0;  // 0: forbidden before.
  crash_point("journal.to_forbid");
  if (auto marked = write_record(fd->get(), IdentityRecord{}); !marked) {
    return std::unexpected(marked.error());
  }
  return true;
}

Result<> allow_launch(const std::string& run_file) {
  const auto fd = open_journal(run_file);
  if (!fd) return std::unexpected(fd.error());
  if (!*fd) return {};
  const std::array<char, sizeof(std::uint64_t) + sizeof(IdentityRecord)> nobody{};
  // Removes only our own mark; a keeper's identity stays.
  const auto taken = take_lock(fd->get());
  if (!taken) return cannot_lock(run_file, taken.error());
  if (!*taken) return {};
  if (const auto identity = identity_in(fd->get()); !identity || identity->keeper.pid != 0) {
    return {};
  }
  if (::pwrite(fd->get(), nobody.data(), nobody.size(), kIdentityAt) !=
      static_cast<ssize_t>(nobody.size())) {
    return fail_errno("cannot clear the mark in " + run_file, errno);
  }
  return {};
}

}  // namespace drover
