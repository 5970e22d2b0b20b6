#include "base/ownership.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <climits>
#include <deque>
#include <optional>
#include <string_view>
#include <utility>

#include "base/private_group.h"

namespace drover {
namespace {

constexpr int kLinksMax = 40;  // As in the kernel.

std::string quoted(const std::string& path) {
  std::string out = "'";
  for (const char c : path) out += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return out + "'";
}

constexpr std::string_view kOtherHome = ", or set DROVER_HOME to a directory of yours";

std::unexpected<Error> unsafe(std::string message) {
  return fail(ErrorCode::unavailable, "unsafe_home", std::move(message) + std::string(kOtherHome));
}

std::unexpected<Error> of_another(const std::string& path, uid_t owner) {
  const std::string who = "user " + std::to_string(owner);
  const std::string chown = "run `chown " + std::to_string(::geteuid()) + " " + quoted(path) + "`";
  if (::geteuid() == 0) {
    return unsafe(path + " belongs to " + who +
                  ", and root starts nothing that another user controls; run drover as that "
                  "user, or " +
                  chown);
  }
  return unsafe(path + " belongs to " + who + ", who controls what is in it; " + chown +
                " as root");
}

std::unexpected<Error> writable(const std::string& path) {
  return unsafe("other users can write to " + path + "; run `chmod go-w " + quoted(path) + "`");
}

bool can_others_write(const struct stat& info) {
  if ((info.st_mode & S_IWOTH) != 0) return true;
  return (info.st_mode & S_IWGRP) != 0 && !is_private_group(info.st_gid, ::geteuid());
}

bool is_trusted(uid_t owner) {
  if (owner == ::geteuid() || owner == 0) return true;
  struct stat root{};
  return ::stat("/", &root) == 0 && owner == root.st_uid;
}

// One component on the way to a path.
Result<> check_passed(const struct stat& info, const std::string& path) {
  if (!is_trusted(info.st_uid)) return of_another(path, info.st_uid);
  if (S_ISLNK(info.st_mode)) return {};  // Its mode means nothing.
  if (can_others_write(info) && (info.st_mode & S_ISVTX) == 0) return writable(path);
  return {};
}

void put_first(std::deque<std::string>& names, const std::string& path) {
  std::deque<std::string> more;
  for (size_t at = 0; at < path.size();) {
    const size_t slash = std::min(path.find('/', at), path.size());
    if (slash > at && path.substr(at, slash - at) != ".")
      more.push_back(path.substr(at, slash - at));
    at = slash + 1;
  }
  names.insert(names.begin(), more.begin(), more.end());
}

struct Found {
  Fd above;  // The directory that contains it.
  std::string name;
  struct stat info{};
};

// Follows the path from the root and checks everything that it passes. The end of the path is not
// checked. `missing` gets the errno if it cannot be reached.
Result<std::optional<Found>> follow(const std::string& path, int& missing) {
  std::deque<std::string> names;
  put_first(names, path);
  const auto root = [] { return Fd(::open("/", O_PATH | O_DIRECTORY | O_CLOEXEC)); };
  Fd at = root();
  std::string passed;
  int links = 0;
  missing = 0;
  while (at && !names.empty()) {
    const std::string name = std::exchange(names.front(), {});
    names.pop_front();
    Fd next(::openat(at.get(), name.c_str(), O_PATH | O_NOFOLLOW | O_CLOEXEC));
    struct stat info{};
    if (!next || ::fstat(next.get(), &info) != 0) break;
    const std::string here =
        name == ".." ? passed.substr(0, passed.rfind('/')) : passed + "/" + name;
    const bool is_link = S_ISLNK(info.st_mode);
    if (names.empty() && !is_link) return Found{std::move(at), name, info};
    if (!is_link && !S_ISDIR(info.st_mode)) {
      missing = ENOTDIR;
      return std::nullopt;
    }
    if (auto ok = check_passed(info, here.empty() ? "/" : here); !ok) {
      return std::unexpected(ok.error());
    }
    if (!is_link) {
      at = std::move(next);
      passed = here;
      continue;
    }
    std::array<char, PATH_MAX> target{};
    const ssize_t size = ::readlinkat(next.get(), "", target.data(), target.size());
    if (size <= 0 || ++links > kLinksMax) {
      missing = ELOOP;
      return std::nullopt;
    }
    const std::string text(target.data(), static_cast<size_t>(size));
    put_first(names, text);
    if (text.front() != '/') continue;
    at = root();
    passed.clear();
  }
  missing = errno;
  return std::nullopt;
}

}  // namespace

bool is_own(const struct stat& info) {
  return info.st_uid == ::geteuid() && !can_others_write(info);
}

Result<> check_own(const struct stat& info, const std::string& path) {
  if (info.st_uid != ::geteuid()) return of_another(path, info.st_uid);
  if (can_others_write(info)) return writable(path);
  return {};
}

Result<> check_way(const std::string& path) {
  int missing = 0;
  const auto found = follow(path, missing);
  return found ? Result<>() : std::unexpected(found.error());
}

Result<> check_own_directory(const std::string& path) {
  int missing = 0;
  const auto found = follow(path, missing);
  if (!found) return std::unexpected(found.error());
  if (!*found) return fail_errno("cannot open " + path, missing);
  if (!S_ISDIR((*found)->info.st_mode)) return fail_errno(path, ENOTDIR);
  return check_own((*found)->info, path);
}

Result<> check_own_file(const std::string& path) {
  int missing = 0;
  const auto found = follow(path, missing);
  if (!found) return std::unexpected(found.error());
  return *found ? check_own((*found)->info, path) : Result<>();
}

Result<Fd> open_trusted(const std::string& path) {
  int missing = 0;
  auto found = follow(path, missing);
  if (!found) return std::unexpected(found.error());
  if (!*found) return Fd();
  constexpr int kFlags = O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC;
  Fd file(::openat((*found)->above.get(), (*found)->name.c_str(), kFlags));
  struct stat info{};
  if (!file || ::fstat(file.get(), &info) != 0) return fail_errno("cannot open " + path, errno);
  if (!S_ISREG(info.st_mode)) {
    return fail(ErrorCode::invalid, "not_a_file",
                path + (S_ISDIR(info.st_mode) ? " is a directory" : " is not a regular file"));
  }
  if (!is_trusted(info.st_uid)) return of_another(path, info.st_uid);
  if (can_others_write(info)) return writable(path);
  return file;
}

std::string message_elsewhere(const Error& error) {
  std::string_view message = error.message;
  if (message.ends_with(kOtherHome)) message.remove_suffix(kOtherHome.size());
  return std::string(message);
}

}  // namespace drover
