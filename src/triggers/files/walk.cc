#include "triggers/files/walk.h"

#include <dirent.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <sys/stat.h>
#include <sys/statfs.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <map>
#include <memory>

#include "base/fd.h"
#include "triggers/files/root_path.h"

namespace drover::triggers {
namespace {

constexpr size_t kEntriesPerCheck = 512;  // Between two checks of the worker's budget.
constexpr int kOpenBelow = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK;

// The paths of a request as a tree: a path that is wanted as a whole has no children.
struct Scope {
  bool whole = false;
  std::map<std::string, Scope, std::less<>> children = {};

  void add(std::string_view path) {
    if (whole) return;
    if (path.empty()) {
      whole = true;
      children.clear();
      return;
    }
    const std::string_view name = path.substr(0, path.find('/'));
    path.remove_prefix(std::min(path.size(), name.size() + 1));
    children.try_emplace(std::string(name)).first->second.add(path);
  }
};

const Scope kWhole{.whole = true};

struct Name {
  std::string name;
  unsigned char type = DT_UNKNOWN;
};

std::string joined(std::string_view directory, std::string_view name) {
  return directory.empty() ? std::string(name) : std::string(directory) + "/" + std::string(name);
}

// Whether the error says that nothing is there (any more), or a link that we do not follow.
bool is_absence(int error) {
  return error == ENOENT || error == ENOTDIR || error == ELOOP;
}

FileEntry entry_of(const struct stat& status) {
  return {.size = static_cast<std::uint64_t>(status.st_size),
          .mtime_ns = status.st_mtim.tv_sec * 1'000'000'000 + status.st_mtim.tv_nsec,
          .inode = status.st_ino};
}

class Walker {
 public:
  Walker(const WalkRequest& request, const work::Turn& turn) : request_(request), turn_(turn) {
    for (const std::string& path : request.paths) scope_.add(path);
  }

  Result<Walked> run() {
    RootPath root(request_.filter.spec().root);
    if (auto opened = root.open(anchors()); !opened) return std::unexpected(opened.error());
    out_.needs_polling = root.needs_polling();
    if (root.directory()) {
      out_.root_id = root.id();
      out_.is_mount_point = root.is_mount_point();
      out_.root = request_.known.is_mount_point() && !out_.is_mount_point ? RootState::unmounted
                                                                          : RootState::present;
    }
    if (out_.root == RootState::present) {
      IgnoreScope ignores = request_.filter.ignores();
      if (request_.filter.spec().gitignore) ignores = root.with_ignores_above(std::move(ignores));
      if (auto done = enter(root.directory(), "", scope_, ignores, 0); !done) {
        return std::unexpected(std::move(done.error()));
      }
    }
    if (request_.watches != nullptr && scope_.whole) {
      request_.watches->keep_only(request_.tree, request_.walk);
    }
    return std::move(out_);
  }

 private:
  std::optional<RootPath::Anchors> anchors() const {
    if (request_.watches == nullptr || !scope_.whole) return std::nullopt;
    return RootPath::Anchors{*request_.watches, request_.tree, request_.walk};
  }

  Result<> enter(const Fd& directory, const std::string& path, const Scope& scope,
                 const IgnoreScope& above, size_t depth) {
    if (scope.whole && request_.watches != nullptr) watch(directory, path);
    const IgnoreScope ignores = with_gitignore(directory, path, above);
    if (!scope.whole) {
      for (const auto& [name, child] : scope.children) {
        if (auto done = visit(directory, path, {.name = name}, child, ignores, depth); !done) {
          return done;
        }
      }
      return {};
    }
    const auto names = list(directory, path);
    if (!names) return std::unexpected(names.error());
    for (const Name& name : *names) {
      if (auto done = visit(directory, path, name, kWhole, ignores, depth); !done) return done;
    }
    return {};
  }

  void watch(const Fd& directory, const std::string& path) {
    if (!out_.needs_polling.empty()) return;
    const auto added = request_.watches->add(request_.tree, request_.walk, directory.get(), path);
    if (added == WatchAdded::added) return;
    out_.needs_polling =
        added == WatchAdded::no_space
            ? "no inotify watch is left: raise fs.inotify.max_user_watches, or ignore directories"
            : "the kernel refused an inotify watch";
  }

  IgnoreScope with_gitignore(const Fd& directory, const std::string& path,
                             const IgnoreScope& above) {
    if (!request_.filter.spec().gitignore) return above;
    const auto text = read_gitignore(directory.get(), ".gitignore");
    if (!text) warn("cannot read " + joined(path, ".gitignore") + ": " + text.error().message);
    return text && !text->empty() ? above.with_file(path, IgnoreRules(*text)) : above;
  }

  Result<std::vector<Name>> list(const Fd& directory, const std::string& path) {
    std::vector<Name> out;
    Fd copy(::openat(directory.get(), ".", kOpenBelow));
    std::unique_ptr<DIR, int (*)(DIR*)> stream(copy ? ::fdopendir(copy.get()) : nullptr,
                                               ::closedir);
    if (!stream) {
      if (!is_absence(errno)) unseen(path, errno);
      return out;
    }
    copy.release();  // The stream owns it.
    while (true) {
      errno = 0;
      const dirent* entry = ::readdir(stream.get());
      if (entry == nullptr) break;
      if (std::strcmp(entry->d_name, ".") == 0 || std::strcmp(entry->d_name, "..") == 0) continue;
      if (auto counted = count_entry(); !counted) return std::unexpected(counted.error());
      out.push_back({entry->d_name, entry->d_type});
    }
    if (errno != 0 && !is_absence(errno)) unseen(path, errno);
    return out;
  }

  Result<> count_entry() {
    if (++entries_ > kEntriesMax) {
      return fail(ErrorCode::exhausted, "tree_too_large",
                  "more than 1,000,000 entries below " + request_.filter.spec().root +
                      ": narrow the globs, or ignore directories");
    }
    return entries_ % kEntriesPerCheck == 0 ? turn_.check() : Result<>{};
  }

  Result<> visit(const Fd& directory, const std::string& parent, const Name& name,
                 const Scope& scope, const IgnoreScope& ignores, size_t depth) {
    const std::string path = joined(parent, name.name);
    const FileFilter& filter = request_.filter;
    // Most entries that nobody wants need no system call.
    if (name.type != DT_UNKNOWN && name.type != DT_DIR && !filter.matches(path)) return {};
    struct stat status{};
    if (name.type != DT_DIR &&
        ::fstatat(directory.get(), name.name.c_str(), &status, AT_SYMLINK_NOFOLLOW) != 0) {
      if (!is_absence(errno)) unseen(path, errno);
      return {};
    }
    const bool is_directory = name.type == DT_DIR || S_ISDIR(status.st_mode);
    if (ignores.ignores(path, is_directory)) {
      const bool known = is_directory ? request_.known.has_at_or_below(path)
                                      : request_.known.find(path) != nullptr;
      if (known) out_.ignored.push_back(path);
      return {};
    }
    // A file where a directory was: its own path is not asked for.
    if (!is_directory) return scope.whole ? add_file(path, status) : Result<>{};
    if (!filter.may_match_below(path)) return {};
    if (depth >= kDepthMax) {
      unseen(path, ENAMETOOLONG);
      return {};
    }
    const Fd below(::openat(directory.get(), name.name.c_str(), kOpenBelow));
    if (!below) {
      if (!is_absence(errno)) unseen(path, errno);
      return {};
    }
    return enter(below, path, scope, ignores, depth + 1);
  }

  // Regular files, and symbolic links themselves. Others (sockets, devices) have no content.
  Result<> add_file(const std::string& path, const struct stat& status) {
    if (!S_ISREG(status.st_mode) && !S_ISLNK(status.st_mode)) return {};
    if (!request_.filter.matches(path)) return {};
    if (out_.files.size() >= kFilesMax) {
      return fail(ErrorCode::exhausted, "too_many_files",
                  "more than 100,000 files match below " + request_.filter.spec().root +
                      ": narrow the globs, or ignore directories");
    }
    out_.files.push_back({path, entry_of(status)});
    return {};
  }

  void unseen(const std::string& path, int error) {
    out_.unseen.push_back(path);
    warn("cannot read " + joined(request_.filter.spec().root, path) + ": " + std::strerror(error));
  }
  void warn(std::string text) {
    if (out_.warning.empty()) out_.warning = std::move(text);
  }

  const WalkRequest& request_;
  const work::Turn& turn_;
  Scope scope_;
  Walked out_;
  size_t entries_ = 0;
};

}  // namespace

Result<Walked> walk(const WalkRequest& request, const work::Turn& turn) {
  return Walker(request, turn).run();
}

std::optional<RootId> root_id_of(const std::string& root) {
  struct stat status{};
  if (::stat(root.c_str(), &status) != 0 || !S_ISDIR(status.st_mode)) return std::nullopt;
  return RootId{.device = status.st_dev, .inode = status.st_ino};
}

}  // namespace drover::triggers
