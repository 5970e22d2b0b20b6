#include "cmd/lost_database.h"

#include <sys/stat.h>

#include <cerrno>
#include <filesystem>

#include "log/log.h"
#include "store/sqlite/generation.h"

namespace drover {
namespace {

bool is_missing_or_empty(const std::string& path) {
  struct stat info{};
  if (::stat(path.c_str(), &info) != 0) return errno == ENOENT;
  return S_ISREG(info.st_mode) && info.st_size == 0;
}

bool has_run_files(const Home& home) {
  std::error_code error;
  for (std::filesystem::directory_iterator at(home.runs(), error), end; !error && at != end;
       at.increment(error)) {
    if (at->path().extension() == ".run") return true;
  }
  return false;
}

}  // namespace

void note_lost_database(const Home& home) {
  if (!is_missing_or_empty(home.database()) || !has_run_files(home)) return;
  if (!is_missing_or_empty(home.database() + "-wal")) return;  // It may contain everything.
  store::sqlite::Generation generation(home.generation());
  if (generation.known_seq() != 0) return;
  log::warn("{} is missing, but there are run files; taking up the runs", home.database());
  generation.note(1);
}

}  // namespace drover
