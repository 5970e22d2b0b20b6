#include "base/journal.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <array>
#include <cerrno>
#include <cstring>

#include "base/crash_point.h"

namespace drover {
namespace {

// Where each record stands. Version and kind are part of the checksum's seed.
constexpr off_t kIdentityAt = 0;
constexpr off_t kStartedAt = 128;
constexpr off_t kStatusAt = 256;
constexpr off_t kEndingAt = 512;
constexpr std::uint64_t kVersion = 1;

std::uint64_t checksum(const void* bytes, size_t size, std::uint64_t seed) {
  std::uint64_t hash = 14695981039346656037ULL ^ seed;  // FNV-1a.
  const auto* p = static_cast<const unsigned char*>(bytes);
  for (size_t i = 0; i < size; ++i) hash = (hash ^ p[i]) * 1099511628211ULL;
  return hash;
}

template <class Record>
Result<> put(int journal, const Record& record, off_t at) {
  static_assert(std::is_trivially_copyable_v<Record>);
  std::array<char, sizeof(std::uint64_t) + sizeof(Record)> slot{};
  const std::uint64_t sum =
      checksum(&record, sizeof record, kVersion << 32 | static_cast<std::uint64_t>(at));
  std::memcpy(slot.data(), &sum, sizeof sum);
  std::memcpy(slot.data() + sizeof sum, &record, sizeof record);
  const ssize_t n = ::pwrite(journal, slot.data(), slot.size(), at);
  if (n != static_cast<ssize_t>(slot.size())) {
    return fail_errno("cannot write the journal", n < 0 ? errno : ENOSPC);
  }
  return {};
}

template <class Record>
std::optional<Record> get(int journal, off_t at) {
  std::array<char, sizeof(std::uint64_t) + sizeof(Record)> slot{};
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

static_assert(8 + sizeof(IdentityRecord) <= kStartedAt - kIdentityAt);
static_assert(8 + sizeof(StartedRecord) <= kStatusAt - kStartedAt);
static_assert(8 + sizeof(StatusRecord) <= kEndingAt - kStatusAt);
static_assert(kEndingAt + 8 + sizeof(EndingRecord) <= 4096);  // A report of it fits a pipe's page.

bool take_lock(int fd) {
  struct flock lock{};
  lock.l_type = F_WRLCK;
  return ::fcntl(fd, F_OFD_SETLK, &lock) == 0;
}

bool is_locked(int fd) {
  struct flock lock{};
  lock.l_type = F_WRLCK;
  return ::fcntl(fd, F_OFD_GETLK, &lock) == 0 && lock.l_type != F_UNLCK;
}

bool is_unlinked(int fd) {
  struct stat st{};
  return ::fstat(fd, &st) != 0 || st.st_nlink == 0;
}

std::optional<IdentityRecord> identity_in(int journal) {
  return get<IdentityRecord>(journal, kIdentityAt);
}

std::string path_in(const std::string& folder) {
  return folder + "/" + std::string(kJournalName);
}

}  // namespace

std::string_view name(LaunchStep step) {
  constexpr std::array<std::string_view, 10> kNames{"none",  "folder", "claim",   "spec", "pipes",
                                                    "stdin", "spawn",  "session", "cwd",  "exec"};
  const auto i = static_cast<size_t>(step);
  return i < kNames.size() ? kNames[i] : "unknown";
}

Result<> write_record(int journal, const IdentityRecord& r) {
  return put(journal, r, kIdentityAt);
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

JournalText read_journal(int journal) {
  return {get<IdentityRecord>(journal, kIdentityAt), get<StartedRecord>(journal, kStartedAt),
          get<StatusRecord>(journal, kStatusAt), get<EndingRecord>(journal, kEndingAt)};
}

Result<Fd> claim_journal(int folder) {
  Fd fd(::openat(folder, kJournalName.data(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW,
                 0600));
  if (!fd && errno == EEXIST) return Fd();
  if (!fd) return fail_errno("cannot claim the run's folder", errno);
  crash_point("journal.created");
  // Between creating and locking, recovery may have locked, marked or removed it.
  if (!take_lock(fd.get()) || is_unlinked(fd.get()) || identity_in(fd.get())) return Fd();
  crash_point("journal.locked");
  return fd;
}

Result<Probe> probe_journal(const std::string& folder) {
  const Fd fd(::open(path_in(folder).c_str(), O_RDWR | O_CLOEXEC | O_NOFOLLOW));
  if (!fd && errno == ENOENT) return Probe{};
  if (!fd) return fail_errno("cannot open the journal in " + folder, errno);
  // Look at the lock first: what a keeper wrote before it let go is then there to be read.
  const bool alive = is_locked(fd.get());
  return Probe{alive ? Liveness::alive : Liveness::dead, read_journal(fd.get())};
}

Result<bool> forbid_launch(const std::string& folder) {
  const Fd fd(::open(path_in(folder).c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600));
  if (!fd) return fail_errno("cannot claim " + folder, errno);
  if (!take_lock(fd.get())) return false;
  const auto identity = identity_in(fd.get());
  if (identity) return identity->keeper.pid == 0;  // 0: forbidden before.
  crash_point("journal.to_forbid");
  // The mark outlives our lock: a keeper that created the file but had not locked it sees it.
  if (auto marked = write_record(fd.get(), IdentityRecord{}); !marked) {
    return std::unexpected(marked.error());
  }
  return true;
}

Result<> allow_launch(const std::string& folder) {
  if (::unlink(path_in(folder).c_str()) != 0 && errno != ENOENT) {
    return fail_errno("cannot clear the claim on " + folder, errno);
  }
  return {};
}

}  // namespace drover
