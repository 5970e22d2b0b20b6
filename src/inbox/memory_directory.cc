#include "inbox/memory_directory.h"

#include <dirent.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <memory>

#include "base/read_to_end.h"
#include "inbox/limits.h"

namespace drover::inbox {

Fd open_beneath(const Fd& directory, const std::string& path, int flags, unsigned mode) {
  open_how how{};
  how.flags = static_cast<std::uint64_t>(flags | O_CLOEXEC);
  how.mode = mode;
  how.resolve = RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS;
  return Fd(
      static_cast<int>(::syscall(SYS_openat2, directory.get(), path.c_str(), &how, sizeof how)));
}

Result<Fd> open_root(const std::string& path) {
  if (auto made = make_private_directory(path); !made) return std::unexpected(made.error());
  Fd root(::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW));
  if (!root) return fail_errno("cannot open " + path, errno);
  return root;
}

Result<Fd> make_directories(const Fd& root, const std::string& path) {
  for (size_t at = 0; at != std::string::npos;) {
    at = path.find('/', at + 1);
    const std::string part = path.substr(0, at);
    if (const Fd there = open_beneath(root, part, O_RDONLY | O_DIRECTORY)) continue;
    if (errno != ENOENT) return fail_errno("cannot open the memory directory " + part, errno);
    const size_t slash = part.rfind('/');
    const Fd above = slash == std::string::npos
                         ? open_beneath(root, ".", O_RDONLY | O_DIRECTORY)
                         : open_beneath(root, part.substr(0, slash), O_RDONLY | O_DIRECTORY);
    const std::string name = slash == std::string::npos ? part : part.substr(slash + 1);
    if (!above || (::mkdirat(above.get(), name.c_str(), 0700) != 0 && errno != EEXIST)) {
      return fail_errno("cannot create the memory directory " + part, errno);
    }
  }
  Fd out = open_beneath(root, path, O_RDONLY | O_DIRECTORY);
  if (!out) return fail_errno("cannot open the memory directory " + path, errno);
  return out;
}

Result<std::optional<std::string>> read_beneath(const Fd& directory, const std::string& path) {
  const Fd file = open_beneath(directory, path, O_RDONLY | O_NONBLOCK | O_NOCTTY);
  if (!file && errno == ENOENT) return std::nullopt;
  if (!file) return fail_errno("cannot open the memory " + path, errno);
  struct stat found{};
  if (::fstat(file.get(), &found) != 0) return fail_errno("cannot stat the memory " + path, errno);
  if (!S_ISREG(found.st_mode)) {
    return fail(ErrorCode::corrupt, "not_a_file", "the memory " + path + " is not a regular file",
                "memory");
  }
  auto text = read_to_end(file.get(), path, kMemoryFileBytesMax);
  if (!text) return std::unexpected(text.error());
  return std::optional(std::move(*text));
}

Result<> write_new(const Fd& directory, const std::string& name, std::string_view text) {
  const Fd file(::openat(directory.get(), name.c_str(),
                         O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600));
  if (!file) return fail_errno("cannot create a memory file", errno);
  if (auto written = write_all(file.get(), text); !written) return written;
  if (::fsync(file.get()) != 0) return fail_errno("cannot sync a memory file", errno);
  return {};
}

std::vector<std::string> names_in(const Fd& directory) {
  std::vector<std::string> out;
  const int copy = ::openat(directory.get(), ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  const std::unique_ptr<DIR, int (*)(DIR*)> list(copy < 0 ? nullptr : ::fdopendir(copy),
                                                 ::closedir);
  while (const dirent* entry = list ? ::readdir(list.get()) : nullptr) {
    out.emplace_back(entry->d_name);
  }
  std::ranges::sort(out);
  return out;
}

}  // namespace drover::inbox
