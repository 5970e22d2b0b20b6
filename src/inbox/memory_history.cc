#include "inbox/memory_history.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>

#include "inbox/limits.h"
#include "inbox/memory_directory.h"
#include "inbox/memory_name.h"

namespace drover::inbox {
namespace {

constexpr std::string_view kVersionEnding = ".md";

}  // namespace

bool is_version_file(std::string_view name) {
  return name.ends_with(kVersionEnding) && name.size() > kVersionEnding.size() &&
         name.front() >= '0' && name.front() <= '9' && is_plain_name(name);
}

void trim_history(const Fd& history) {
  std::vector<std::string> versions = names_in(history);
  std::erase_if(versions, [](const std::string& name) { return !is_version_file(name); });
  for (size_t i = 0; i + kMemoryVersionsKept < versions.size(); ++i) {
    ::unlinkat(history.get(), versions[i].c_str(), 0);
  }
}

std::vector<MemoryVersion> versions_in(const Fd& history) {
  std::vector<MemoryVersion> out;
  for (const std::string& file : names_in(history)) {
    struct stat found{};
    if (!is_version_file(file) ||
        ::fstatat(history.get(), file.c_str(), &found, AT_SYMLINK_NOFOLLOW) != 0 ||
        !S_ISREG(found.st_mode)) {
      continue;
    }
    out.push_back({.version = file.substr(0, file.size() - kVersionEnding.size()),
                   .replaced_at = std::strtoll(file.c_str(), nullptr, 10),
                   .bytes = found.st_size});
  }
  std::ranges::reverse(out);
  return out;
}

}  // namespace drover::inbox
