#include "inbox/memory.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>

#include "access/seal.h"
#include "base/fd.h"
#include "base/id.h"
#include "base/text.h"
#include "inbox/limits.h"
#include "inbox/memory_directory.h"

namespace drover::inbox {
namespace {

constexpr std::string_view kEnding = ".md";
constexpr std::string_view kHistory = "history";
constexpr size_t kRevisionDigits = 16;

std::string file_of(const MemoryName& name) {
  return name.text + std::string(kEnding);
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

}  // namespace

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
  const Fd history =
      open_beneath(*root, std::string(kHistory) + "/" + name.text, O_RDONLY | O_DIRECTORY);
  return history ? versions_in(history) : std::vector<MemoryVersion>{};
}

Result<Memory> Memories::read_version(const MemoryName& name, const std::string& version) const {
  auto root = open_root(directory_);
  if (!root) return std::unexpected(root.error());
  const std::string file = version + std::string(kEnding);
  auto text = is_version_file(file)
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
