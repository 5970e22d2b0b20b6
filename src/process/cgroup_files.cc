#include "process/cgroup_files.h"

#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>

#include "base/fd.h"
#include "process/cgroup_place.h"

namespace drover::process {
namespace {

constexpr size_t kTextBytesMax = 1 << 20;
constexpr int kNestedMax = 64;  // Deeper than anybody nests; deeper groups are left.

}  // namespace

// The kernel's directories already have these files. In a fake one, a plain directory, they are
// created.
bool write_text(const std::string& path, std::string_view text) {
  const Fd fd = open_file(path, O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
  return fd && ::write(fd.get(), text.data(), text.size()) == static_cast<ssize_t>(text.size());
}

std::string read_text(const std::string& path) {
  const auto text = read_file(path, kTextBytesMax);
  return text ? *text : "";
}

std::uint64_t number_of(std::string_view text, std::string_view name) {
  bool is_next = false;
  std::uint64_t found = 0;
  for_each_word(text, [&](std::string_view word) {
    if (is_next) std::from_chars(word.data(), word.data() + word.size(), found);
    is_next = word == name;
  });
  return found;
}

// From the bottom up, including groups that the command created. The files are the kernel's.
bool remove_groups(const std::string& directory, int depth) {
  if (::rmdir(directory.c_str()) == 0 || errno == ENOENT) return true;
  if (depth >= kNestedMax) return false;
  for (const std::string& name : cgroups_in(directory))
    remove_groups(directory + "/" + name, depth + 1);
  return ::rmdir(directory.c_str()) == 0;
}

// False: it had processes, which were killed.
bool remove_or_kill(const std::string& directory) {
  if (remove_groups(directory)) return true;
  write_text(directory + "/cgroup.kill", "1");
  return false;
}

// A kill takes a moment. A cgroup that cannot be removed is left for the next daemon.
void kill_and_remove(const std::string& directory) {
  constexpr int kTries = 20;
  constexpr int kPauseMs = 5;
  if (remove_or_kill(directory)) return;
  for (int tries = 0; tries < kTries && !remove_groups(directory) && errno == EBUSY; ++tries) {
    ::poll(nullptr, 0, kPauseMs);
  }
}

}  // namespace drover::process
