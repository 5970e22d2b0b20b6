#include "process/command.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include "base/crash_point.h"
#include "base/fd.h"
#include "base/fnv.h"
#include "base/journal.h"
#include "base/limits.h"
#include "base/ownership.h"

namespace drover::process {
namespace {

void add(std::string& file, std::string_view text) {
  file += text;
  file += '\0';
}

// Eight bytes at a time: a command is a few kilobytes long and read once by each side.
std::uint64_t checksum(std::string_view bytes) {
  std::uint64_t hash = kFnvBegin;
  while (!bytes.empty()) {
    std::uint64_t word = 0;
    const size_t n = std::min(bytes.size(), sizeof word);
    std::memcpy(&word, bytes.data(), n);
    hash = fnv_add(hash, word);
    hash ^= hash >> 29;
    bytes.remove_prefix(n);
  }
  return hash;
}

constexpr char kWithLimits = '2';

bool is_command(const CommandHeader& header) {
  const CommandHeader plain;
  return std::memcmp(header.magic, plain.magic, sizeof plain.magic - 1) == 0 &&
         (header.magic[7] == plain.magic[7] || header.magic[7] == kWithLimits);
}

}  // namespace

Result<> write_command(const std::string& run_file, const Command& command) {
  CommandHeader header;
  header.argument_count = static_cast<std::uint32_t>(command.argv.size());
  header.environment_count = static_cast<std::uint32_t>(command.environment.size());
  header.stdin_mode = command.stdin_mode;
  header.rows = command.terminal.rows;
  header.umask = static_cast<std::uint16_t>(command.umask);
  if (command.keeps_environment) header.umask |= CommandHeader::kKeepsEnvironment;
  if (command.has_exact_reader) header.umask |= CommandHeader::kHasExactReader;
  if (!command.lock_file.empty()) header.umask |= CommandHeader::kLocksFile;
  if (!command.lock_directory.empty()) header.umask |= CommandHeader::kLocksDirectory;
  if (!command.note.empty()) header.umask |= CommandHeader::kHasNote;
  header.columns = command.terminal.columns;
  header.timeout_ms = command.timeout_ms;
  header.idle_timeout_ms = command.idle_timeout_ms;
  header.grace_ms = command.grace_ms;
  header.output_bytes_max = command.output_bytes_max;

  std::string file(sizeof header, '\0');
  if (command.limits.any()) {
    header.magic[7] = kWithLimits;
    file.append(reinterpret_cast<const char*>(&command.limits), sizeof command.limits);
  }
  if (!command.lock_file.empty()) add(file, command.lock_file);
  if (!command.lock_directory.empty()) add(file, command.lock_directory);
  if (!command.note.empty()) add(file, command.note);
  add(file, command.cwd);
  for (const std::string& argument : command.argv) add(file, argument);
  header.environment_offset = static_cast<std::uint32_t>(file.size());
  for (const std::string& variable : command.environment) add(file, variable);
  header.bytes = static_cast<std::uint32_t>(file.size());
  std::memcpy(file.data(), &header, sizeof header);
  header.checksum = checksum(file);
  std::memcpy(file.data(), &header, sizeof header);

  const Fd fd = open_file(run_file, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  if (!fd) return fail_errno("cannot create " + run_file, errno);
  crash_point("submit.file_made");
  ::lseek(fd.get(), kJournalBytes, SEEK_SET);
  auto written = write_all(fd.get(), file);
  if (!written) written.error().message.insert(0, run_file + ": ");
  return written;
}

std::optional<CommandHeader> read_header(const std::string& run_file) {
  const Fd fd = open_file(run_file, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
  CommandHeader header;
  if (!fd ||
      ::pread(fd.get(), &header, sizeof header, kJournalBytes) !=
          static_cast<ssize_t>(sizeof header) ||
      !is_command(header)) {
    return std::nullopt;
  }
  return header;
}

Result<Command> read_command(const std::string& run_file) {
  const Fd fd = open_file(run_file, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
  if (!fd) return fail_errno("cannot open " + run_file, errno);
  LoadedCommand loaded;
  if (!loaded.load(fd.get()) && !loaded.load_cut(fd.get())) {
    return fail_errno("cannot read the command in " + run_file, errno);
  }
  const CommandHeader& header = loaded.header();
  Command command;
  command.cwd = loaded.cwd();
  for (char* const* p = loaded.argv(); *p != nullptr; ++p) command.argv.emplace_back(*p);
  for (char* const* p = loaded.environment(); *p != nullptr; ++p) {
    command.environment.emplace_back(*p);
  }
  command.stdin_mode = header.stdin_mode;
  command.terminal = {.rows = header.rows, .columns = header.columns};
  command.umask = header.umask & 0777U;
  if (loaded.lock_file() != nullptr) command.lock_file = loaded.lock_file();
  if (loaded.lock_directory() != nullptr) command.lock_directory = loaded.lock_directory();
  if (loaded.note() != nullptr) command.note = loaded.note();
  command.timeout_ms = header.timeout_ms;
  command.idle_timeout_ms = header.idle_timeout_ms;
  command.grace_ms = header.grace_ms;
  command.output_bytes_max = header.output_bytes_max;
  command.keeps_environment = loaded.keeps_environment();
  command.has_exact_reader = loaded.has_exact_reader();
  command.limits = loaded.limits();
  return command;
}

Result<> forget_environment(const std::string& run_file) {
  const Fd fd = open_file(run_file, O_RDWR | O_CLOEXEC | O_NOFOLLOW);
  if (!fd && errno == ENOENT) return {};
  if (!fd) return fail_errno("cannot open " + run_file, errno);
  CommandHeader header;
  struct stat st{};
  if (::fstat(fd.get(), &st) == 0 && st.st_size <= static_cast<off_t>(kJournalBytes)) return {};
  const ssize_t n = ::pread(fd.get(), &header, sizeof header, kJournalBytes);
  if (n == static_cast<ssize_t>(sizeof header) &&
      st.st_size == static_cast<off_t>(kJournalBytes) + header.environment_offset) {
    return {};  // Done before.
  }
  LoadedCommand command;
  (void)command.load(fd.get());
  if (!command.forget_environment(fd.get()))
    return fail_errno("cannot truncate " + run_file, errno);
  return {};
}

bool LoadedCommand::load(int run_file) {
  is_whole_ = read(run_file) && check(text_.size()) && point();
  return is_whole_;
}

// The rest has no checksum of its own: only its structure is checked.
bool LoadedCommand::load_cut(int run_file) {
  if (!read(run_file)) return false;
  errno = EBADMSG;
  if (text_.back() != '\0') return false;
  auto& h = *reinterpret_cast<CommandHeader*>(text_.data());
  const bool is_ours = is_command(h);
  if (!is_ours || h.environment_offset != text_.size()) return false;
  if (h.argument_count == 0 || h.argument_count > text_.size()) return false;
  h.environment_count = 0;
  pointers_.clear();
  return point() && pointers_.front() != nullptr;
}

bool LoadedCommand::read(int run_file) {
  struct stat st{};
  if (::fstat(run_file, &st) != 0) return false;
  errno = EPERM;
  if (!is_own(st)) return false;  // Another writer would choose what we run.
  errno = EBADMSG;
  if (st.st_size < static_cast<off_t>(kJournalBytes + sizeof(CommandHeader))) return false;
  const size_t size = static_cast<size_t>(st.st_size) - kJournalBytes;
  if (size > 2 * limits::kSpecBytesMax) return false;
  text_.resize(size);
  if (::pread(run_file, text_.data(), size, kJournalBytes) != static_cast<ssize_t>(size)) {
    return false;
  }
  return true;
}

bool LoadedCommand::check(size_t size) {
  errno = EBADMSG;
  auto& h = *reinterpret_cast<CommandHeader*>(text_.data());
  const std::uint64_t sum = std::exchange(h.checksum, 0);
  return checksum({text_.data(), size}) == sum && h.bytes == size && text_.back() == '\0' &&
         is_command(h);
}

// Finds each text. The counts are our own; a file that was cut off is detected by its end.
bool LoadedCommand::point() {
  const CommandHeader& h = header();
  char* at = text_.data() + sizeof(CommandHeader);
  char* const end = text_.data() + text_.size();
  if (h.magic[7] == kWithLimits) {
    if (end - at < static_cast<std::ptrdiff_t>(sizeof limits_)) return false;
    std::memcpy(&limits_, at, sizeof limits_);
    at += sizeof limits_;
  }
  const auto next = [&]() -> char* {
    if (at >= end) return nullptr;
    return std::exchange(at, at + std::strlen(at) + 1);
  };
  lock_file_ = (h.umask & CommandHeader::kLocksFile) != 0 ? next() : nullptr;
  lock_directory_ = (h.umask & CommandHeader::kLocksDirectory) != 0 ? next() : nullptr;
  note_ = (h.umask & CommandHeader::kHasNote) != 0 ? next() : nullptr;
  cwd_ = next();
  pointers_.reserve(h.argument_count + h.environment_count + 2);
  for (std::uint32_t i = 0; i < h.argument_count; ++i) pointers_.push_back(next());
  pointers_.push_back(nullptr);
  for (std::uint32_t i = 0; i < h.environment_count; ++i) pointers_.push_back(next());
  pointers_.push_back(nullptr);
  return at == end && cwd_ != nullptr;
}

bool LoadedCommand::forget_environment(int run_file) const {
  const std::uint32_t kept = is_whole_ ? header().environment_offset : 0;
  return ::ftruncate(run_file, static_cast<off_t>(kJournalBytes) + kept) == 0;
}

const char* LoadedCommand::variable(std::string_view name) const {
  for (char* const* p = environment(); *p != nullptr; ++p) {
    const std::string_view entry(*p);
    if (entry.size() > name.size() && entry.starts_with(name) && entry[name.size()] == '=') {
      return *p + name.size() + 1;
    }
  }
  return nullptr;
}

}  // namespace drover::process
