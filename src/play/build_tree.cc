#include "play/build_tree.h"

#include <dirent.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <linux/openat2.h>
#include <openssl/evp.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <memory>

#include "base/fd.h"
#include "base/limits.h"
#include "base/text.h"
#include "play/limits.h"

namespace drover::play {
namespace {

std::string shown(std::string_view path) {
  return "build/" + bounded(path, limits::kPathBytesMax);
}

std::unexpected<Error> refuse(std::string_view path, std::string_view why) {
  return fail(ErrorCode::invalid, "bad_build", fmt::format("{} {}", shown(path), why), "build");
}

std::unexpected<Error> refuse_errno(std::string_view path, std::string_view verb, int error) {
  return fail_errno(fmt::format("cannot {} {}", verb, shown(path)), error);
}

bool same(const struct stat& a, const struct stat& b) {
  return a.st_size == b.st_size && a.st_mtim.tv_sec == b.st_mtim.tv_sec &&
         a.st_mtim.tv_nsec == b.st_mtim.tv_nsec && a.st_ctim.tv_sec == b.st_ctim.tv_sec &&
         a.st_ctim.tv_nsec == b.st_ctim.tv_nsec;
}

class Walk {
 public:
  explicit Walk(int build) : build_(build), sha_(EVP_MD_CTX_new()) {}

  Result<std::vector<BuildEntry>> all() {
    struct stat manifest{};
    if (::fstatat(build_, kManifestName.data(), &manifest, AT_SYMLINK_NOFOLLOW) == 0) {
      manifest_ = {manifest.st_dev, manifest.st_ino};
    }
    if (auto ok = directory(::openat(build_, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC), "", 0);
        !ok) {
      return std::unexpected(ok.error());
    }
    std::ranges::sort(entries_, {}, &BuildEntry::path);  // std::string compares unsigned bytes.
    return std::move(entries_);
  }

 private:
  using Directory = std::unique_ptr<DIR, decltype([](DIR* one) { ::closedir(one); })>;
  using Digest =
      std::unique_ptr<EVP_MD_CTX, decltype([](EVP_MD_CTX* one) { EVP_MD_CTX_free(one); })>;

  // `above` is the directory's path with a slash, or empty at the top. Takes ownership of `fd`.
  Result<> directory(int fd, const std::string& above, size_t depth) {
    if (fd < 0) return refuse_errno(above, "open the directory", errno);
    const Directory directory(::fdopendir(fd));
    if (directory == nullptr) {
      ::close(fd);
      return refuse_errno(above, "read the directory", ENOMEM);
    }
    while (true) {
      errno = 0;
      const dirent* found = ::readdir(directory.get());
      if (found == nullptr) break;
      const std::string_view name = found->d_name;
      if (name == "." || name == "..") continue;
      if (depth == 0 && (name == kManifestName || name.starts_with(kManifestAside))) continue;
      if (auto ok = one(fd, std::string(name), above, depth); !ok) return ok;
    }
    if (errno != 0) return refuse_errno(above, "read the directory", errno);
    return {};
  }

  Result<> one(int directory_fd, const std::string& name, const std::string& above, size_t depth) {
    const std::string path = above + name;
    if (path.size() >= limits::kPathBytesMax)
      return refuse(path, "has a path that is too long to be opened");
    struct stat info{};
    if (::fstatat(directory_fd, name.c_str(), &info, AT_SYMLINK_NOFOLLOW) != 0) {
      return refuse_errno(path, "stat", errno);
    }
    if (S_ISDIR(info.st_mode)) {
      if (depth + 1 >= kManifestDepthMax) {
        return fail(ErrorCode::exhausted, "build_too_large",
                    fmt::format("{} is nested more than {} directories deep; use fewer levels",
                                shown(path), kManifestDepthMax),
                    "build");
      }
      return directory(
          ::openat(directory_fd, name.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC),
          path + "/", depth + 1);
    }
    if (entries_.size() == kManifestFilesMax) {
      return fail(
          ErrorCode::exhausted, "build_too_large",
          fmt::format("build/ has more than {} files; pack them into fewer", kManifestFilesMax),
          "build");
    }
    if (S_ISLNK(info.st_mode)) return link(directory_fd, name, path);
    if (S_ISREG(info.st_mode)) return file(directory_fd, name, path);
    return refuse(path, "is a pipe, a socket or a device, which cannot be shipped; remove it");
  }

  Result<> file(int directory_fd, const std::string& name, const std::string& path) {
    const Fd fd(::openat(directory_fd, name.c_str(),
                         O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC));
    if (!fd) return refuse_errno(path, "open", errno);
    struct stat before{};
    struct stat after{};
    if (::fstat(fd.get(), &before) != 0) return refuse_errno(path, "stat", errno);
    if (!S_ISREG(before.st_mode)) return refuse(path, "changed while it was read");
    BuildEntry entry{.path = path, .size = 0, .sha256 = "", .link = ""};
    if (EVP_DigestInit_ex(sha_.get(), EVP_sha256(), nullptr) != 1) return no_digest();
    while (true) {
      const ssize_t n = ::read(fd.get(), buffer_.data(), buffer_.size());
      if (n < 0 && errno == EINTR) continue;
      if (n < 0) return refuse_errno(path, "read", errno);
      if (n == 0) break;
      entry.size += static_cast<std::uint64_t>(n);
      if (EVP_DigestUpdate(sha_.get(), buffer_.data(), static_cast<size_t>(n)) != 1) {
        return no_digest();
      }
      // Stop at a file that grows as fast as we read it: this loop would never end.
      if (entry.size > static_cast<std::uint64_t>(before.st_size)) break;
    }
    if (::fstat(fd.get(), &after) != 0) return refuse_errno(path, "stat", errno);
    if (!same(before, after) || entry.size != static_cast<std::uint64_t>(before.st_size)) {
      return refuse(path, "changed while it was read; a step may have left a process running");
    }
    return finish(std::move(entry));
  }

  Result<> finish(BuildEntry entry) {
    std::array<unsigned char, EVP_MAX_MD_SIZE> sum{};
    unsigned int size = 0;
    if (EVP_DigestFinal_ex(sha_.get(), sum.data(), &size) != 1) return no_digest();
    for (unsigned int i = 0; i < size; ++i) entry.sha256 += fmt::format("{:02x}", sum[i]);
    entries_.push_back(std::move(entry));
    return {};
  }

  Result<> link(int directory_fd, const std::string& name, const std::string& path) {
    std::string target(limits::kPathBytesMax, '\0');
    const ssize_t n = ::readlinkat(directory_fd, name.c_str(), target.data(), target.size());
    if (n < 0) return refuse_errno(path, "read the link", errno);
    target.resize(static_cast<size_t>(n));
    // The kernel resolves the link, through all other links, and refuses to leave the directory.
    open_how how{};
    how.flags = O_PATH | O_CLOEXEC;
    how.resolve = RESOLVE_BENEATH | RESOLVE_NO_MAGICLINKS;
    const Fd end(static_cast<int>(::syscall(SYS_openat2, build_, path.c_str(), &how, sizeof how)));
    if (!end) return refuse_link(path, target, errno);
    struct stat info{};
    if (::fstat(end.get(), &info) != 0) return refuse_errno(path, "stat", errno);
    if (manifest_ == std::pair(info.st_dev, info.st_ino)) return refuse_link(path, target, ENOENT);
    entries_.push_back({.path = path, .size = 0, .sha256 = "", .link = std::move(target)});
    return {};
  }

  static std::unexpected<Error> refuse_link(std::string_view path, std::string_view target,
                                            int error) {
    const std::string what = "is a link to " + bounded(target, limits::kPathBytesMax);
    switch (error) {
      case EXDEV:
        return refuse(path, what + ", which is outside build/; copy the target into build/");
      case ENOENT:
      case ENOTDIR:
        return refuse(path, what + ", which does not exist; correct or remove the link");
      case ELOOP:
        return refuse(path, what + ", which leads back to the link; correct or remove it");
      default:
        return refuse_errno(path, "follow the link", error);
    }
  }

  static std::unexpected<Error> no_digest() {
    return fail(ErrorCode::unavailable, "no_digest", "OpenSSL cannot compute SHA-256 here");
  }

  int build_;
  Digest sha_;
  std::pair<dev_t, ino_t> manifest_{};
  std::array<char, 64 * 1024> buffer_{};
  std::vector<BuildEntry> entries_;
};

}  // namespace

Result<std::vector<BuildEntry>> read_build_tree(int build) {
  return std::make_unique<Walk>(build)->all();
}

}  // namespace drover::play
