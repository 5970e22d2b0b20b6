#include "play/manifest.h"

#include <dirent.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <linux/openat2.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <boost/json/serialize.hpp>
#include <cerrno>
#include <cstdio>
#include <memory>
#include <vector>

#include "base/fd.h"
#include "base/text.h"

namespace drover::play {
namespace {

constexpr int kManifestVersion = 1;

// A path as JSON; {"base64": "…"} if it is not UTF-8, as everywhere in Drover.
std::string quoted(const std::string& path) {
  if (is_utf8(path)) return boost::json::serialize(boost::json::string(path));
  return R"({"base64":")" + base64(path) + "\"}";
}

std::string line_of(const BuildEntry& entry) {
  if (entry.sha256.empty()) {
    return fmt::format(R"({{"path":{},"link":{}}})", quoted(entry.path), quoted(entry.link));
  }
  return fmt::format(R"({{"path":{},"size":{},"sha256":"{}"}})", quoted(entry.path), entry.size,
                     entry.sha256);
}

// The directory build of the project at `root`. ELOOP: it is a link. Also on a kernel without
// openat2, where a link cannot be followed either.
int open_build(int root) {
  open_how how{};
  how.flags = O_RDONLY | O_DIRECTORY | O_CLOEXEC;
  how.resolve = RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS;
  const long fd = ::syscall(SYS_openat2, root, "build", &how, sizeof how);
  if (fd >= 0 || (errno != ENOSYS && errno != EPERM)) return static_cast<int>(fd);
  struct stat info{};
  if (::fstatat(root, "build", &info, AT_SYMLINK_NOFOLLOW) == 0 && S_ISLNK(info.st_mode)) {
    errno = ELOOP;
    return -1;
  }
  return ::openat(root, "build", O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
}

// Removes the temporary files of writers that died before the rename. The lock excludes live
// writers.
Result<> remove_leftovers(int build) {
  const std::unique_ptr<DIR, decltype([](DIR* one) { ::closedir(one); })> directory(
      ::fdopendir(::openat(build, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC)));
  if (directory == nullptr) return fail_errno("cannot read the directory build", errno);
  std::vector<std::string> names;
  while (const dirent* found = ::readdir(directory.get())) {
    if (std::string_view(found->d_name).starts_with(kManifestAside)) names.push_back(found->d_name);
  }
  for (const std::string& name : names) {
    if (::unlinkat(build, name.c_str(), 0) != 0 && errno != ENOENT) {
      return fail_errno("cannot remove build/" + name, errno);
    }
  }
  return {};
}

Result<> replace_manifest(int build, const std::string& text) {
  const std::string aside = std::string(kManifestAside) + std::to_string(::getpid());
  // Same permissions as the build's own files: 0666 and the umask, not 0600.
  const Fd fd(::openat(build, aside.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666));
  if (!fd) return fail_errno("cannot create build/" + aside, errno);
  const auto give_up = [&](std::unexpected<Error> error) {
    ::unlinkat(build, aside.c_str(), 0);
    return error;
  };
  if (auto ok = write_all(fd.get(), text); !ok) return give_up(std::unexpected(ok.error()));
  if (::fsync(fd.get()) != 0) return give_up(fail_errno("cannot sync build/" + aside, errno));
  if (::renameat(build, aside.c_str(), build, kManifestName.data()) != 0) {
    return give_up(fail_errno("cannot move build/manifest.json into place", errno));
  }
  if (::fsync(build) != 0) return fail_errno("cannot sync the directory build", errno);
  return {};
}

}  // namespace

std::string manifest_text(const Project& project, std::span<const BuildEntry> entries) {
  boost::json::object who{{"id", project.id}, {"name", project.name}, {"version", project.version}};
  for (const auto& field : project.metadata) who[field.key()] = field.value();
  std::string out = fmt::format("{{\n  \"manifest_version\": {},\n  \"project\": {}",
                                kManifestVersion, boost::json::serialize(who));
  for (const auto& field : project.manifest) {
    out += fmt::format(",\n  {}: {}", boost::json::serialize(boost::json::string(field.key())),
                       boost::json::serialize(field.value()));
  }
  out += ",\n  \"files\": [";
  // One line per entry, so that a person can compare two manifests.
  const char* before = "\n    ";
  for (const BuildEntry& entry : entries) {
    out.append(before).append(line_of(entry));
    before = ",\n    ";
  }
  return out.append(entries.empty() ? "]\n}\n" : "\n  ]\n}\n");
}

Result<ManifestTally> write_manifest(const std::string& root, const Project& project) {
  const Fd top(::open(root.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
  const Fd build(top ? open_build(top.get()) : -1);
  if (!build && errno == ELOOP) {
    return fail(ErrorCode::invalid, "bad_build",
                root +
                    "/build is a link, and the manifest would be written outside of the "
                    "project; make it a directory",
                "build");
  }
  if (!build && (errno == ENOENT || errno == ENOTDIR)) {
    return fail(ErrorCode::not_found, "no_build",
                "there is no directory build in " + root + "; the build step must create it",
                "build");
  }
  if (!build) return fail_errno("cannot open " + root + "/build", errno);
  // The kernel releases the lock with the descriptor, even if we are killed.
  while (::flock(build.get(), LOCK_EX) != 0) {
    if (errno != EINTR) return fail_errno("cannot lock " + root + "/build", errno);
  }
  if (auto ok = remove_leftovers(build.get()); !ok) return std::unexpected(ok.error());
  const auto entries = read_build_tree(build.get());
  if (!entries) return std::unexpected(entries.error());
  if (auto ok = replace_manifest(build.get(), manifest_text(project, *entries)); !ok) {
    return std::unexpected(ok.error());
  }
  ManifestTally tally{.files = entries->size(), .bytes = 0};
  for (const BuildEntry& entry : *entries) tally.bytes += entry.size;
  return tally;
}

}  // namespace drover::play
