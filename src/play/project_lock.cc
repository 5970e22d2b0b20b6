#include "play/project_lock.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <pwd.h>
#include <sys/stat.h>

#include <array>
#include <boost/json/object.hpp>
#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <cerrno>
#include <optional>
#include <system_error>

#include "base/directory_lock.h"
#include "base/limits.h"
#include "base/text.h"
#include "play/limits.h"
#include "process/command.h"

namespace drover::play {
namespace {

namespace json = boost::json;

constexpr off_t kDaemonByte = 0;
constexpr off_t kKeeperByte = process::kLockedByte;
static_assert(kKeeperByte == kDaemonByte + 1);
constexpr const char* kDirectory = ".drover";
constexpr const char* kName = "play.lock";

struct flock range(off_t start, off_t length) {
  struct flock out{};
  out.l_type = F_WRLCK;
  out.l_start = start;
  out.l_len = length;
  return out;
}

std::unexpected<Error> not_lockable(const std::string& root, std::string_view why,
                                    std::string_view advice) {
  return fail(ErrorCode::invalid, std::string(kNotLockable),
              fmt::format("cannot lock {}: {}; Drover locks this file so that a project is played "
                          "once at a time; {}",
                          bounded(project_lock_file(root), limits::kPathBytesMax), why, advice),
              "project");
}

constexpr std::string_view kNoLinks =
    ".drover must be a directory, and play.lock a regular file, not links";

std::unexpected<Error> cannot_open(const std::string& root, int error) {
  const bool is_link = error == ELOOP || error == ENOTDIR || error == EISDIR;
  return not_lockable(root, std::generic_category().message(error),
                      is_link ? kNoLinks : "make .drover writable for you");
}

std::unexpected<Error> no_locks(const std::string& root, int error) {
  return not_lockable(root, std::generic_category().message(error),
                      "move the project to a file system with locks (F_OFD_SETLK)");
}

std::string name_of(uid_t user) {
  std::array<char, 4096> text{};
  struct passwd entry{};
  struct passwd* found = nullptr;
  ::getpwuid_r(user, &entry, text.data(), text.size(), &found);
  return found == nullptr ? fmt::format("user {}", user) : std::string(found->pw_name);
}

// The process that wrote the file last. Anybody may have changed it, so it is only shown.
std::string owner_in(int file) {
  std::string text(kProjectLockBytesMax, '\0');
  const ssize_t n = ::pread(file, text.data(), text.size(), 0);
  text.resize(n > 0 ? static_cast<size_t>(n) : 0);
  boost::system::error_code bad;
  const json::value value = json::parse(text, bad);
  const auto* object = bad ? nullptr : value.if_object();
  const json::value* home = object == nullptr ? nullptr : object->if_contains("home");
  const json::value* pid = object == nullptr ? nullptr : object->if_contains("pid");
  if (home == nullptr || !home->is_string() || pid == nullptr || !pid->is_int64()) {
    return "another daemon";
  }
  return fmt::format("another daemon (pid {}, home {})", pid->get_int64(),
                     bounded(std::string_view(home->get_string()), limits::kPathBytesMax));
}

std::unexpected<Error> played_elsewhere(const std::string& owner, off_t byte) {
  return fail(ErrorCode::conflict, std::string(kPlayedElsewhere),
              byte == kDaemonByte
                  ? fmt::format("the project is being played by {}; stop it there first", owner)
                  : fmt::format("a command of a play of {} is still running in this project; start "
                                "that daemon again and stop the play there, or wait until the "
                                "command has finished",
                                owner),
              "project");
}

// Another user created the file, and this one may not write to it. The locks of the root tell
// whether that user plays the project.
std::unexpected<Error> of_another_user(const std::string& root, int directory) {
  struct stat info{};
  const bool known = ::fstatat(directory, kName, &info, AT_SYMLINK_NOFOLLOW) == 0;
  const std::string owner = known ? name_of(info.st_uid) : "another user";
  const Fd top(::open(root.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  const off_t byte = top ? locked_by_others(top.get(), kDaemonByte, 2) : -1;
  if (byte >= 0) return played_elsewhere(fmt::format("a daemon of {}", owner), byte);
  return not_lockable(root,
                      fmt::format("the file belongs to {}, and you may not write to it", owner),
                      "make it writable for you, or delete it");
}

// Without O_CREAT for a file that is there: the kernel can refuse that in a directory of several
// users.
Fd open_or_create(int directory) {
  constexpr int kFlags = O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY;
  constexpr int kTries = 3;  // It may be deleted in between.
  for (int i = 0; i < kTries; ++i) {
    Fd file(::openat(directory, kName, kFlags));
    if (!file && errno == ENOENT) {
      file = Fd(::openat(directory, kName, kFlags | O_CREAT | O_EXCL, 0600));
    }
    if (file || errno != EEXIST) return file;
  }
  return {};
}

// A user who may write to the directory can delete the file, and so may as well lock it.
Fd open_file(int directory) {
  Fd file = open_or_create(directory);
  struct stat around{};
  struct stat info{};
  if (file && ::fstat(directory, &around) == 0 && ::fstat(file.get(), &info) == 0 &&
      info.st_uid == ::geteuid() && S_ISREG(info.st_mode)) {
    const mode_t wanted = around.st_mode & 0666;
    if ((info.st_mode & 0777) != wanted) (void)::fchmod(file.get(), wanted);
  }
  return file;
}

// Follows no links below the root. Empty: there is no such root.
Result<std::optional<Fd>> open_lock(const std::string& root) {
  const Fd directory(::open(root.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
  if (!directory && (errno == ENOENT || errno == ENOTDIR)) return std::nullopt;
  if (!directory) return cannot_open(root, errno);
  if (::mkdirat(directory.get(), kDirectory, 0777) != 0 && errno != EEXIST) {
    return cannot_open(root, errno);
  }
  const Fd own(
      ::openat(directory.get(), kDirectory, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  if (!own) return cannot_open(root, errno);
  Fd file = open_file(own.get());
  struct stat info{};
  if (!file && errno == EACCES && ::faccessat(own.get(), kName, F_OK, AT_SYMLINK_NOFOLLOW) == 0) {
    return of_another_user(root, own.get());
  }
  if (!file || ::fstat(file.get(), &info) != 0) return cannot_open(root, errno);
  if (!S_ISREG(info.st_mode)) return not_lockable(root, "it is not a regular file", kNoLinks);
  return file;
}

// Whether somebody else has locked a byte of this range.
Result<> check_unlocked(const std::string& root, int file, struct flock wanted) {
  if (::fcntl(file, F_OFD_GETLK, &wanted) != 0) return no_locks(root, errno);
  if (wanted.l_type == F_UNLCK) return {};
  return played_elsewhere(owner_in(file),
                          wanted.l_start <= kDaemonByte ? kDaemonByte : kKeeperByte);
}

// Whether both are open, and the same file.
bool is_same(const Fd& first, const Fd& second) {
  struct stat one{};
  struct stat other{};
  return first && second && ::fstat(first.get(), &one) == 0 && ::fstat(second.get(), &other) == 0 &&
         one.st_dev == other.st_dev && one.st_ino == other.st_ino;
}

// Writes who has the lock. If that fails, only the message of `played_elsewhere` is poorer.
void sign(int file, const std::string& home) {
  if (::ftruncate(file, 0) != 0) return;
  const std::string text =
      json::serialize(json::object{{"home", bounded(home, limits::kPathBytesMax)},
                                   {"pid", static_cast<std::int64_t>(::getpid())}}) +
      "\n";
  (void)!::pwrite(file, text.data(), text.size(), 0);
}

}  // namespace

std::string project_lock_file(const std::string& root) {
  return root + "/" + kDirectory + "/" + kName;
}

Result<ProjectLock> ProjectLock::take(const std::string& root, const std::string& home) {
  ProjectLock out(root, home);
  if (auto locked = out.lock(false); !locked) return std::unexpected(locked.error());
  return out;
}

Result<ProjectLock> ProjectLock::take_again(const std::string& root, const std::string& home) {
  ProjectLock out(root, home);
  if (auto locked = out.lock(true); !locked) return std::unexpected(locked.error());
  return out;
}

Result<> ProjectLock::renew() {
  if (is_in_place()) return {};
  return lock(false);
}

// Whatever fails, the locks that this object had before stay.
Result<> ProjectLock::lock(bool again) {
  auto file = open_lock(root_);
  if (!file) return std::unexpected(file.error());
  if (!*file) return cannot_open(root_, ENOENT);
  const int fd = (*file)->get();
  struct flock wanted = range(kDaemonByte, 1);
  if (::fcntl(fd, F_OFD_SETLK, &wanted) != 0) {
    if (errno == EAGAIN || errno == EACCES) return played_elsewhere(owner_in(fd), kDaemonByte);
    return no_locks(root_, errno);
  }
  const auto free = again ? Result<>{} : check_unlocked(root_, fd, range(kKeeperByte, 1));
  if (!free) return free;
  Fd directory = lock_directory(root_.c_str(), kDaemonByte);
  if (!is_same(directory, directory_)) {
    const off_t other =
        directory ? locked_by_others(directory.get(), kDaemonByte, again ? 1 : 2) : -1;
    if (other >= 0) return played_elsewhere(owner_in(fd), other);
    directory_ = std::move(directory);
  }
  sign(fd, home_);
  file_ = std::move(**file);
  return {};
}

bool ProjectLock::is_in_place() const {
  const Fd named(::open(project_lock_file(root_).c_str(), O_PATH | O_NOFOLLOW | O_CLOEXEC));
  return is_same(named, file_);
}

Result<> check_not_played_elsewhere(const std::string& root) {
  auto file = open_lock(root);
  if (!file) return std::unexpected(file.error());
  if (!*file) return {};  // No such directory: the play's first step fails and says so.
  if (auto free = check_unlocked(root, (*file)->get(), range(kDaemonByte, 2)); !free) return free;
  const Fd directory(::open(root.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  const off_t other = directory ? locked_by_others(directory.get(), kDaemonByte, 2) : -1;
  if (other >= 0) return played_elsewhere(owner_in((*file)->get()), other);
  return {};
}

}  // namespace drover::play
