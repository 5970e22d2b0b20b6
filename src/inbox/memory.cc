#include "inbox/memory.h"

#include <dirent.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <memory>

#include "access/launchers.h"
#include "access/seal.h"
#include "base/fd.h"
#include "base/id.h"
#include "base/read_to_end.h"
#include "base/text.h"
#include "inbox/limits.h"
#include "store/scopes.h"

namespace drover::inbox {
namespace {

constexpr std::string_view kEnding = ".md";
constexpr std::string_view kHistory = "history";
constexpr size_t kRevisionDigits = 16;

bool is_plain(std::string_view name) {
  const auto may_stand = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           c == '-' || c == '.';
  };
  return !name.empty() && name.size() <= kMemoryNameBytesMax && name.front() != '.' &&
         name.front() != '-' && std::ranges::all_of(name, may_stand);
}

std::string file_of(const MemoryName& name) {
  return name.text + std::string(kEnding);
}

// Opens `path` below the directory; follows no link on the way.
Fd open_beneath(const Fd& directory, const std::string& path, int flags, unsigned mode = 0) {
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

// Creates the directories of `path` below `root`, and opens the last one.
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

// Not set: there is no such file.
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

std::string revision_of(const std::string& text) {
  return access::sha256_hex(text).substr(0, kRevisionDigits);
}

std::unexpected<Error> changed(const MemoryName& name) {
  return fail(
      ErrorCode::conflict, "memory_changed",
      "the memory " + name.text + " has another revision now; read it again and repeat the change",
      "revision");
}

// The end of the text from the beginning of a line, at most `bytes_max`.
std::string newest_part(const std::string& text, size_t bytes_max) {
  if (text.size() <= bytes_max) return text;
  size_t begin = text.find('\n', text.size() - bytes_max - 1);
  begin = begin == std::string::npos ? text.size() - bytes_max : begin + 1;
  while (begin < text.size() && (static_cast<unsigned char>(text[begin]) & 0xC0) == 0x80) ++begin;
  return text.substr(begin);
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

bool is_version(std::string_view name) {
  return name.ends_with(kEnding) && name.size() > kEnding.size() && name.front() >= '0' &&
         name.front() <= '9' && is_plain(name);
}

// Removes the oldest versions beyond the limit.
void trim_history(const Fd& history) {
  std::vector<std::string> versions = names_in(history);
  std::erase_if(versions, [](const std::string& name) { return !is_version(name); });
  for (size_t i = 0; i + kMemoryVersionsKept < versions.size(); ++i) {
    ::unlinkat(history.get(), versions[i].c_str(), 0);
  }
}

}  // namespace

Result<MemoryName> MemoryName::parse(std::string_view text) {
  const size_t slash = text.find('/');
  const std::string_view sort = text.substr(0, slash);
  const bool is_named = slash != std::string_view::npos && (sort == "space" || sort == "app") &&
                        is_plain(text.substr(slash + 1));
  if (text == "user" || is_named) return MemoryName{.text = std::string(text)};
  return fail(ErrorCode::not_found, "not_found",
              "there is no memory " + bounded(text, 64) +
                  "; a memory is named user, space/NAME or app/NAME",
              "memory");
}

MemoryAccess access_to(const access::Grant& grant, const MemoryName& name) {
  if (grant.is_owner || (grant.scope.empty() && !grant.run)) return MemoryAccess::write;
  if (name.text != "user") {
    return store::within_scope(grant.scope, name.text) ? MemoryAccess::write : MemoryAccess::none;
  }
  const bool is_app = grant.run && access::launcher_of(grant.scope) == "app";
  return is_app ? MemoryAccess::read : MemoryAccess::none;
}

Memories::Memories(const std::string& state, const Clock& clock)
    : directory_(state + "/memory"), clock_(clock) {}

Result<Memory> Memories::read(const MemoryName& name) const {
  auto root = open_root(directory_);
  if (!root) return std::unexpected(root.error());
  auto text = read_beneath(*root, file_of(name));
  if (!text) return std::unexpected(text.error());
  Memory out{.text = text->value_or(""), .revision = {}};
  out.revision = revision_of(out.text);
  return out;
}

Result<Memory> Memories::write(const MemoryName& name, std::string text,
                               const std::optional<std::string>& from) const {
  auto root = open_root(directory_);
  if (!root) return std::unexpected(root.error());
  const std::string path = file_of(name);
  const size_t slash = path.rfind('/');
  auto directory =
      make_directories(*root, slash == std::string::npos ? "." : path.substr(0, slash));
  if (!directory) return std::unexpected(directory.error());
  auto history = make_directories(*root, std::string(kHistory) + "/" + name.text);
  if (!history) return std::unexpected(history.error());
  const auto before = read_beneath(*root, path);
  if (!before) return std::unexpected(before.error());
  if (from && revision_of(before->value_or("")) != *from) return changed(name);
  const std::string file = path.substr(slash == std::string::npos ? 0 : slash + 1);
  const std::string aside = ".new." + random_hex(16);
  const std::string stamp = std::to_string(clock_.wall_ms()) + "-" + random_hex(4);
  const std::string kept = newest_part(text, kMemoryBytesMax);
  if (kept.size() < text.size()) {  // First, so that nothing is lost.
    if (auto ok = write_new(*history, stamp + "-whole.md", text); !ok) {
      return std::unexpected(ok.error());
    }
  }
  if (auto ok = write_new(*directory, aside, kept); !ok) return std::unexpected(ok.error());
  const int at = directory->get();
  const bool exchanged = before->has_value();
  if (::renameat2(at, aside.c_str(), at, file.c_str(),
                  exchanged ? RENAME_EXCHANGE : RENAME_NOREPLACE) != 0) {
    const int error = errno;
    ::unlinkat(at, aside.c_str(), 0);
    if (error == EEXIST || error == ENOENT) return changed(name);  // Created or removed meanwhile.
    return fail_errno("cannot replace the memory " + name.text, error);
  }
  if (exchanged) {
    const auto old = read_beneath(*directory, aside);
    if (!old || **before != old->value_or("")) {
      // An editor has saved the file since it was read: its text goes back into place.
      (void)::renameat2(at, aside.c_str(), at, file.c_str(), RENAME_EXCHANGE);
      const auto ours = read_beneath(*directory, aside);
      if (ours && ours->value_or("") == kept) {
        ::unlinkat(at, aside.c_str(), 0);
      } else {  // It was saved again in between: that text is in the history.
        (void)::renameat(at, aside.c_str(), history->get(), (stamp + ".md").c_str());
      }
      return changed(name);
    }
    if (::renameat(at, aside.c_str(), history->get(), (stamp + ".md").c_str()) != 0) {
      return fail_errno("cannot keep the old memory " + name.text, errno);
    }
  }
  ::fsync(at);
  ::fsync(history->get());
  trim_history(*history);
  return Memory{.text = kept, .revision = revision_of(kept)};
}

std::vector<MemoryName> Memories::list() const {
  std::vector<MemoryName> out;
  const auto root = open_root(directory_);
  if (!root) return out;
  const auto add = [&](const std::string& prefix, const std::string& name) {
    if (!name.ends_with(kEnding)) return;
    auto known = MemoryName::parse(prefix + name.substr(0, name.size() - kEnding.size()));
    if (known) out.push_back(std::move(*known));
  };
  for (const char* sort : {"app", "space"}) {
    const Fd directory = open_beneath(*root, sort, O_RDONLY | O_DIRECTORY);
    if (!directory) continue;
    for (const std::string& name : names_in(directory)) add(std::string(sort) + "/", name);
  }
  for (const std::string& name : names_in(*root)) add("", name);
  return out;
}

Result<std::vector<MemoryVersion>> Memories::log(const MemoryName& name) const {
  auto root = open_root(directory_);
  if (!root) return std::unexpected(root.error());
  std::vector<MemoryVersion> out;
  const Fd history =
      open_beneath(*root, std::string(kHistory) + "/" + name.text, O_RDONLY | O_DIRECTORY);
  if (!history) return out;
  for (const std::string& file : names_in(history)) {
    struct stat found{};
    if (!is_version(file) ||
        ::fstatat(history.get(), file.c_str(), &found, AT_SYMLINK_NOFOLLOW) != 0 ||
        !S_ISREG(found.st_mode)) {
      continue;
    }
    out.push_back({.version = file.substr(0, file.size() - kEnding.size()),
                   .replaced_at = std::strtoll(file.c_str(), nullptr, 10),
                   .bytes = found.st_size});
  }
  std::ranges::reverse(out);
  return out;
}

Result<Memory> Memories::read_version(const MemoryName& name, const std::string& version) const {
  auto root = open_root(directory_);
  if (!root) return std::unexpected(root.error());
  const std::string file = version + std::string(kEnding);
  auto text = is_version(file)
                  ? read_beneath(*root, std::string(kHistory) + "/" + name.text + "/" + file)
                  : Result<std::optional<std::string>>(std::nullopt);
  if (!text) return std::unexpected(text.error());
  if (!*text) {
    return fail(ErrorCode::not_found, "not_found",
                "the memory " + name.text + " has no version " + bounded(version, 64) +
                    "; `drover memory log` lists them",
                "version");
  }
  return Memory{.text = **text, .revision = revision_of(**text)};
}

}  // namespace drover::inbox
