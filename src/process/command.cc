#include "process/command.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <cerrno>
#include <cstddef>
#include <cstring>

#include "base/crash_point.h"
#include "base/fd.h"
#include "base/limits.h"

namespace drover::process {
namespace {

void add(std::string& file, std::string_view text) {
  file += text;
  file += '\0';
}

}  // namespace

Result<> write_command(const std::string& folder, const Command& command) {
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
  header.file_bytes = static_cast<std::uint32_t>(file.size());
  std::memcpy(file.data(), &header, sizeof header);

  if (::mkdir(folder.c_str(), 0700) != 0) return fail_errno("cannot create " + folder, errno);
  crash_point("submit.folder_made");
  const std::string path = folder + "/spec";
  const Fd fd(::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600));
  if (!fd) return fail_errno("cannot create " + path, errno);
  return write_all(fd.get(), file);
}

Result<> forget_environment(const std::string& folder) {
  const Fd fd(::open((folder + "/spec").c_str(), O_RDWR | O_CLOEXEC | O_NOFOLLOW));
  if (!fd && errno == ENOENT) return {};
  if (!fd) return fail_errno("cannot open the spec in " + folder, errno);
  std::uint32_t at = 0;
  if (::pread(fd.get(), &at, sizeof at, offsetof(CommandHeader, environment_offset)) !=
      static_cast<ssize_t>(sizeof at)) {
    at = 0;  // Not whole: nothing of it is of use to anybody.
  }
  struct stat st{};
  if (::fstat(fd.get(), &st) == 0 && st.st_size <= at) return {};  // Done before.
  if (::ftruncate(fd.get(), at) != 0) return fail_errno("cannot cut the spec in " + folder, errno);
  return {};
}

bool LoadedCommand::load(int folder) {
  const Fd fd(::openat(folder, "spec", O_RDONLY | O_CLOEXEC | O_NOFOLLOW));
  struct stat st{};
  if (!fd || ::fstat(fd.get(), &st) != 0) return false;
  errno = EBADMSG;
  const auto size = static_cast<size_t>(st.st_size);
  if (size < sizeof(CommandHeader) || size > 2 * limits::kSpecBytesMax) return false;
  text_.resize(size);
  if (::read(fd.get(), text_.data(), size) != st.st_size) return false;
  errno = EBADMSG;
  const CommandHeader& h = header();
  if (std::memcmp(h.magic, CommandHeader{}.magic, sizeof h.magic) != 0 || h.file_bytes != size ||
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

void LoadedCommand::forget_environment(int folder) const {
  if (text_.empty()) return;
  const Fd fd(::openat(folder, "spec", O_WRONLY | O_CLOEXEC | O_NOFOLLOW));
  if (fd) (void)!::ftruncate(fd.get(), header().environment_offset);
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
