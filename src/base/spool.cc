#include "base/spool.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <ctime>
#include <memory>

#include "base/fd.h"
#include "base/read_to_end.h"

namespace drover {
namespace {

constexpr std::string_view kEnding = ".json";
constexpr std::string_view kAside = ".new.";
constexpr time_t kAbandonedSeconds = 60;  // A writer needs milliseconds.

std::unexpected<Error> full(std::string what) {
  return fail(ErrorCode::exhausted, "spool_full",
              std::move(what) + "; start the daemon, outside of the run: drover status");
}

Fd open_directory(const Home& home) {
  return Fd(::open(spool_of(home).c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW));
}

// Every name in the directory.
std::vector<std::string> names_in(const Fd& directory) {
  std::vector<std::string> out;
  const int copy = ::openat(directory.get(), ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  const std::unique_ptr<DIR, int (*)(DIR*)> list(copy < 0 ? nullptr : ::fdopendir(copy),
                                                 ::closedir);
  if (!list) return out;
  while (const dirent* entry = ::readdir(list.get())) out.emplace_back(entry->d_name);
  return out;
}

void remove_if_abandoned(const Fd& directory, const std::string& name) {
  struct stat found{};
  if (::fstatat(directory.get(), name.c_str(), &found, AT_SYMLINK_NOFOLLOW) != 0) return;
  if (found.st_mtime + kAbandonedSeconds > ::time(nullptr)) return;
  ::unlinkat(directory.get(), name.c_str(), 0);
}

Result<> write_whole(const Fd& directory, const std::string& name, std::string_view contents) {
  const Fd file(::openat(directory.get(), name.c_str(),
                         O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600));
  if (!file) return fail_errno("cannot create a file in the spool", errno);
  auto written = write_all(file.get(), contents);
  if (written && ::fsync(file.get()) != 0) written = fail_errno("cannot sync the spool", errno);
  if (!written) ::unlinkat(directory.get(), name.c_str(), 0);
  return written;
}

}  // namespace

std::optional<SpoolName> SpoolName::parse(std::string_view text) {
  if (!text.ends_with(kEnding)) return std::nullopt;
  text.remove_suffix(kEnding.size());
  const size_t dot = text.find('.');
  if (dot == std::string_view::npos) return std::nullopt;
  const auto run = RunId::parse(text.substr(0, dot));
  const std::string_view key = text.substr(dot + 1);
  const bool is_key =
      !key.empty() && key.size() <= kSpoolKeyBytesMax && std::ranges::all_of(key, [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-';
      });
  if (!run || !is_key) return std::nullopt;
  return SpoolName{.run = *run, .key = std::string(key)};
}

Result<> add_to_spool(const Home& home, const SpoolName& name, std::string_view contents) {
  if (contents.size() > kSpoolBytesMax) {
    return full("the message is too large for the spool");
  }
  if (auto made = make_private_directory(spool_of(home)); !made) return made;
  const Fd directory = open_directory(home);
  if (!directory) return fail_errno("cannot open " + spool_of(home), errno);
  const std::vector<std::string> names = names_in(directory);
  const auto of_run = std::ranges::count_if(
      names, [&](const std::string& one) { return one.starts_with(name.run.view()); });
  if (static_cast<size_t>(of_run) >= kSpoolPerRunMax) {
    return full("the run has " + std::to_string(of_run) + " messages in the spool");
  }
  if (names.size() >= kSpoolMax) return full("the spool is full");
  const std::string aside = std::string(kAside) + name.text();
  if (auto written = write_whole(directory, aside, contents); !written) return written;
  if (::renameat(directory.get(), aside.c_str(), directory.get(), name.text().c_str()) != 0) {
    const int error = errno;
    ::unlinkat(directory.get(), aside.c_str(), 0);
    return fail_errno("cannot rename a file in the spool", error);
  }
  if (::fsync(directory.get()) != 0) return fail_errno("cannot sync the spool", errno);
  return {};
}

std::vector<SpoolName> spooled(const Home& home) {
  std::vector<SpoolName> out;
  const Fd directory = open_directory(home);
  if (!directory) return out;
  for (const std::string& name : names_in(directory)) {
    if (auto known = SpoolName::parse(name)) out.push_back(std::move(*known));
    if (name.starts_with(kAside)) remove_if_abandoned(directory, name);
  }
  std::ranges::sort(out, {}, [](const SpoolName& name) { return name.text(); });
  return out;
}

Result<std::string> read_spooled(const Home& home, const SpoolName& name) {
  const std::string path = spool_of(home) + "/" + name.text();
  const Fd file = open_file(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY | O_NOFOLLOW);
  if (!file) return fail_errno("cannot open " + path, errno);
  struct stat found{};
  if (::fstat(file.get(), &found) != 0) return fail_errno("cannot stat " + path, errno);
  if (!S_ISREG(found.st_mode) || found.st_uid != ::geteuid()) {
    return fail(ErrorCode::invalid, "not_a_file", path + " is not a regular file of yours");
  }
  return read_to_end(file.get(), path, kSpoolBytesMax);
}

void remove_spooled(const Home& home, const SpoolName& name) {
  const Fd directory = open_directory(home);
  if (!directory) return;
  ::unlinkat(directory.get(), name.text().c_str(), 0);
  (void)::fsync(directory.get());
}

}  // namespace drover
