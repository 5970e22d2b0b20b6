#include "triggers/files/root_path.h"

#include <fcntl.h>
#include <linux/magic.h>
#include <sys/stat.h>
#include <sys/statfs.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>

#include "base/read_to_end.h"
#include "triggers/files/limits.h"

namespace drover::triggers {
namespace {

// File systems whose files other machines change; inotify reports changes of this machine only.
constexpr std::array<std::uint32_t, 8> kRemote{NFS_SUPER_MAGIC,  SMB_SUPER_MAGIC, CIFS_SUPER_MAGIC,
                                               SMB2_SUPER_MAGIC, V9FS_MAGIC,      FUSE_SUPER_MAGIC,
                                               AFS_SUPER_MAGIC,  CEPH_SUPER_MAGIC};

constexpr int kAttempts = 8;  // To open a root that disappears while we inspect it.

Fd open_above(const std::string& path) {
  return Fd(::open(path.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
}

bool is_link(const std::string& path) {
  struct stat status{};
  return ::lstat(path.c_str(), &status) == 0 && S_ISLNK(status.st_mode);
}

}  // namespace

Result<> RootPath::open(std::optional<Anchors> anchors) {
  for (int attempt = 0; attempt < kAttempts; ++attempt) {
    const bool reports_creation = !anchors || watch_above(*anchors);
    directory_ = Fd(::open(root_.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NONBLOCK));
    if (directory_) {
      describe();
      return {};
    }
    if (errno != ENOENT && errno != ENOTDIR) {
      return fail(ErrorCode::unavailable, "root_unreadable",
                  "cannot open " + root_ + ": " + std::strerror(errno), "root");
    }
    if (reports_creation) return {};
    // It disappeared after its parents were watched: nobody would report that it is back.
  }
  needs_polling_ = "the root is created and deleted all the time";
  return {};
}

// Watches the directories above the root, from the top down, each before the next one is looked
// for. Whether the creation of the root, or of its next missing parent, will be reported.
bool RootPath::watch_above(const Anchors& anchors) {
  for (size_t at = 0; at != std::string::npos && root_ != "/";) {
    const std::string path = at == 0 ? "/" : root_.substr(0, at);
    const size_t begin = at + 1;
    at = root_.find('/', begin);
    const std::string next = root_.substr(begin, at == std::string::npos ? at : at - begin);
    const std::string below = root_.substr(0, at);
    const Fd here = open_above(path);
    if (!here) return false;
    const bool found = static_cast<bool>(open_above(below));
    const bool stays = found && !is_link(below);  // A link may get another target.
    anchor(anchors, here, path, next, stays ? AnchorEvents::only_self : AnchorEvents::creations);
    if (!found && !open_above(below)) return true;
  }
  return false;
}

void RootPath::anchor(const Anchors& anchors, const Fd& directory, const std::string& path,
                      const std::string& next, AnchorEvents events) {
  const auto added =
      anchors.watches.add_anchor(anchors.tree, anchors.walk, directory.get(), path, next, events);
  if (added == WatchAdded::no_space) {
    needs_polling_ = "no inotify watch is left: raise fs.inotify.max_user_watches";
  } else if (added == WatchAdded::failed && events == AnchorEvents::creations) {
    needs_polling_ = "the root is missing and " + path + " cannot be watched";
  }
}

void RootPath::describe() {
  struct stat here{};
  struct stat above{};
  if (::fstat(directory_.get(), &here) == 0) id_ = {.device = here.st_dev, .inode = here.st_ino};
  is_mount_point_ = ::fstatat(directory_.get(), "..", &above, 0) == 0 &&
                    (above.st_dev != here.st_dev || above.st_ino == here.st_ino);
  struct statfs system{};
  if (::fstatfs(directory_.get(), &system) != 0) return;
  if (std::ranges::find(kRemote, static_cast<std::uint32_t>(system.f_type)) != kRemote.end()) {
    needs_polling_ =
        "the root is on a network or user-space file system, which reports changes "
        "of this machine only";
  }
}

IgnoreScope RootPath::with_ignores_above(IgnoreScope scope) const {
  std::vector<std::string> directories;  // The nearest first.
  struct stat status{};
  const auto is_top = [&](const std::string& path) {
    return ::stat((path + "/.git").c_str(), &status) == 0;
  };
  for (std::string path = root_; !is_top(path);) {
    const size_t slash = path.rfind('/');
    if (slash == std::string::npos || path.empty()) return scope;  // Not in a repository.
    path.resize(slash);
    directories.push_back(path);
  }
  for (auto path = directories.rbegin(); path != directories.rend(); ++path) {
    const Fd above = open_above(path->empty() ? "/" : *path);
    const auto text = above ? read_gitignore(above.get(), ".gitignore") : Result<std::string>{};
    if (!text || text->empty()) continue;
    scope = scope.with_file_above(root_.substr(path->size() + 1) + "/", IgnoreRules(*text));
  }
  return scope;
}

Result<std::string> read_gitignore(int directory, const char* name) {
  const Fd file(::openat(directory, name, O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK));
  if (!file && (errno == ENOENT || errno == ELOOP)) return {};
  if (!file) return fail_errno("cannot open it", errno);
  struct stat status{};
  if (::fstat(file.get(), &status) != 0 || !S_ISREG(status.st_mode)) return {};
  return read_to_end(file.get(), name, kIgnoreFileBytesMax);
}

}  // namespace drover::triggers
