#include "process/command.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <cstring>

#include "base/crash_point.h"
#include "base/fd.h"
#include "base/journal.h"
#include "base/limits.h"

namespace drover::process {
namespace {

void add(std::string& file, std::string_view text) {
  file += text;
  file += '\0';
}

}  // namespace

Result<> write_command(const std::string& run_file, const Command& command) {
  CommandHeader header;
  header.argument_count = static_cast<std::uint32_t>(command.argv.size());
  header.environment_count = static_cast<std::uint32_t>(command.environment.size());
  header.stdin_mode = static_cast<std::uint32_t>(command.stdin_mode);
  header.umask = command.umask;
  header.timeout_ms = command.timeout_ms;
  header.idle_timeout_ms = command.idle_timeout_ms;
  header.grace_ms = command.grace_ms;
  header.output_bytes_max = command.output_bytes_max;

  std::string file(sizeof header, '\0');
  add(file, command.cwd);
  for (const std::string& argument : command.argv) add(file, argument);
  header.environment_offset = static_cast<std::uint32_t>(file.size());
  for (const std::string& variable : command.environment) add(file, variable);
  header.bytes = static_cast<std::uint32_t>(file.size());
  std::memcpy(file.data(), &header, sizeof header);

  const Fd fd(::open(run_file.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600));
  if (!fd) return fail_errno("cannot create " + run_file, errno);
  crash_point("submit.file_made");
  ::lseek(fd.get(), kJournalBytes, SEEK_SET);
  return write_all(fd.get(), file);
}

Result<> forget_environment(const std::string& run_file) {
  const Fd fd(::open(run_file.c_str(), O_RDWR | O_CLOEXEC | O_NOFOLLOW));
  if (!fd && errno == ENOENT) return {};
  if (!fd) return fail_errno("cannot open " + run_file, errno);
  std::uint32_t at = 0;
  if (::pread(fd.get(), &at, sizeof at,
              kJournalBytes + offsetof(CommandHeader, environment_offset)) !=
      static_cast<ssize_t>(sizeof at)) {
    at = 0;  // Not whole: nothing of it is of use to anybody.
  }
  const auto end = static_cast<off_t>(kJournalBytes + at);
  struct stat st{};
  if (::fstat(fd.get(), &st) == 0 && st.st_size <= end) return {};  // Done before.
  if (::ftruncate(fd.get(), end) != 0) return fail_errno("cannot cut " + run_file, errno);
  return {};
}

bool LoadedCommand::load(int run_file) {
  struct stat st{};
  if (::fstat(run_file, &st) != 0) return false;
  errno = EBADMSG;
  if (st.st_size < static_cast<off_t>(kJournalBytes + sizeof(CommandHeader))) return false;
  const size_t size = static_cast<size_t>(st.st_size) - kJournalBytes;
  if (size > 2 * limits::kSpecBytesMax) return false;
  text_.resize(size);
  if (::pread(run_file, text_.data(), size, kJournalBytes) != static_cast<ssize_t>(size)) {
    return false;
  }
  errno = EBADMSG;
  const CommandHeader& h = header();
  if (std::memcmp(h.magic, CommandHeader{}.magic, sizeof h.magic) != 0 || h.bytes != size ||
      text_.back() != '\0' || h.argument_count == 0 || h.argument_count > limits::kArgumentsMax ||
      h.environment_count > 2 * limits::kEnvironmentMax) {
    return false;
  }
  char* at = text_.data() + sizeof(CommandHeader);
  char* const end = text_.data() + size;
  const auto next = [&]() -> char* {
    char* const text = at;
    if (text >= end) return nullptr;
    at += std::strlen(text) + 1;
    return text;
  };
  cwd_ = next();
  pointers_.reserve(h.argument_count + h.environment_count + 2);
  for (std::uint32_t i = 0; i < h.argument_count; ++i) pointers_.push_back(next());
  pointers_.push_back(nullptr);
  for (std::uint32_t i = 0; i < h.environment_count; ++i) pointers_.push_back(next());
  pointers_.push_back(nullptr);
  return at == end && cwd_ != nullptr;
}

void LoadedCommand::forget_environment(int run_file) const {
  if (text_.empty()) return;
  (void)!::ftruncate(run_file, static_cast<off_t>(kJournalBytes) + header().environment_offset);
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
