#include "tests/disk/pending_call.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <climits>
#include <filesystem>
#include <sstream>

namespace drover::tests {
namespace {

enum class Does : std::uint8_t { write, sync, cut, open, make, remove };

struct CallKind {
  int number;
  Does does;
  int place;                      // The index of the argument with the descriptor or the path.
  bool below_descriptor = false;  // The path is relative to the descriptor before it.
  int flags = -1;                 // The index of the argument with the flags of an open.
};

constexpr auto kCalls = std::to_array<CallKind>({
    {SYS_write, Does::write, 0},
    {SYS_pwrite64, Does::write, 0},
    {SYS_writev, Does::write, 0},
    {SYS_pwritev, Does::write, 0},
    {SYS_fallocate, Does::write, 0},
    {SYS_fsync, Does::sync, 0},
    {SYS_fdatasync, Does::sync, 0},
    {SYS_ftruncate, Does::cut, 0},
    {SYS_openat, Does::open, 1, true, 2},
    {SYS_mkdirat, Does::make, 1, true},
    {SYS_unlinkat, Does::remove, 1, true},
    {SYS_renameat2, Does::remove, 1, true},
#ifdef SYS_open
    {SYS_open, Does::open, 0, false, 1},
    {SYS_mkdir, Does::make, 0},
    {SYS_unlink, Does::remove, 0},
    {SYS_rmdir, Does::remove, 0},
    {SYS_rename, Does::remove, 0},
    {SYS_renameat, Does::remove, 1, true},
#endif
});

std::string process_file(const PendingCall& q, const std::string& name) {
  return "/proc/" + std::to_string(q.pid) + "/" + name;
}

std::string link_at(const std::string& path) {
  std::array<char, PATH_MAX> text;
  const ssize_t n = ::readlink(path.c_str(), text.data(), text.size());
  return n < 0 ? "" : std::string(text.data(), static_cast<size_t>(n));
}

// Reads a text from the caller's memory; the text may end at the end of a page.
std::string text_at(const PendingCall& q, std::uint64_t address) {
  std::string text;
  while (text.size() < PATH_MAX) {
    std::array<char, 4096> part;
    const iovec ours{part.data(), part.size() - address % part.size()};
    const iovec theirs{reinterpret_cast<void*>(address), ours.iov_len};
    const ssize_t n = ::process_vm_readv(q.pid, &ours, 1, &theirs, 1, 0);
    if (n <= 0) return "";
    const std::string_view piece(part.data(), static_cast<size_t>(n));
    const size_t end = piece.find('\0');
    text += piece.substr(0, end);
    if (end != std::string_view::npos) return text;
    address += piece.size();
  }
  return text;
}

std::string path_of(const CallKind& kind, const PendingCall& q) {
  const auto descriptor = [&](int place) {
    return static_cast<int>(q.arguments[place]) == AT_FDCWD
               ? link_at(process_file(q, "cwd"))
               : link_at(process_file(q, "fd/" + std::to_string(q.arguments[place])));
  };
  if (kind.does == Does::write || kind.does == Does::sync || kind.does == Does::cut) {
    return descriptor(kind.place);
  }
  const std::string path = text_at(q, q.arguments[kind.place]);
  const std::string above =
      kind.below_descriptor ? descriptor(kind.place - 1) : link_at(process_file(q, "cwd"));
  return (std::filesystem::path(above) / path).lexically_normal().string();
}

// Whether a write stays within the file's existing blocks.
bool has_room(const PendingCall& q) {
  if (q.call != SYS_write && q.call != SYS_pwrite64) return false;
  const std::string descriptor = std::to_string(q.arguments[0]);
  struct stat file{};
  if (::stat(process_file(q, "fd/" + descriptor).c_str(), &file) != 0) return false;
  std::uint64_t at = q.arguments[3];
  if (q.call == SYS_write) {
    const auto info = read_file(process_file(q, "fdinfo/" + descriptor), 4096);
    if (!info) return false;
    std::istringstream words(*info);
    std::string word;
    unsigned flags = 0;
    words >> word >> at >> word >> std::oct >> flags;  // "pos: 0 flags: 0100001 …"
    if ((flags & O_APPEND) != 0) at = static_cast<std::uint64_t>(file.st_size);
  }
  constexpr std::uint64_t kBlock = 4096;
  const auto blocks = (static_cast<std::uint64_t>(file.st_size) + kBlock - 1) / kBlock;
  return at + q.arguments[2] <= blocks * kBlock;
}

// Whether the call creates something. If the file exists already, the kernel's own error counts.
bool makes_new(const CallKind& kind, const PendingCall& q, const std::string& path) {
  const bool wants = kind.does == Does::make ||
                     (kind.does == Does::open && (q.arguments[kind.flags] & O_CREAT) != 0);
  return wants && ::access(path.c_str(), F_OK) != 0;
}

}  // namespace

std::span<const int> calls_that_change_files() {
  static const auto numbers = [] {
    std::array<int, kCalls.size()> list{};
    for (size_t i = 0; i < list.size(); ++i) list[i] = kCalls[i].number;
    return list;
  }();
  return numbers;
}

int error_of(Trouble trouble, const PendingCall& q, const std::string& directory) {
  const auto kind = std::ranges::find(kCalls, q.call, &CallKind::number);
  if (kind == kCalls.end()) return 0;
  const std::string path = path_of(*kind, q);
  if (!path.starts_with(directory + "/")) return 0;
  const bool makes = makes_new(*kind, q, path);
  switch (trouble) {
    case Trouble::full:
      return makes || (kind->does == Does::write && !has_room(q)) ? ENOSPC : 0;
    case Trouble::crammed:
      return makes || kind->does == Does::write ? ENOSPC : 0;
    case Trouble::broken:
      return makes || kind->does == Does::write || kind->does == Does::sync ? EIO : 0;
    case Trouble::read_only:
      if (kind->does == Does::sync || (kind->does == Does::make && !makes)) return 0;
      if (kind->does != Does::open || makes) return EROFS;
      return (q.arguments[kind->flags] & O_ACCMODE) != O_RDONLY ? EROFS : 0;
  }
  return 0;
}

}  // namespace drover::tests
