#include "store/sqlite/database_file.h"

#include <sys/stat.h>

#include <cerrno>
#include <utility>

namespace drover::store::sqlite {
namespace {

std::unexpected<Error> gone(const std::string& path, const char* how) {
  return fail(ErrorCode::unavailable, "database_gone",
              path + how +
                  " while the daemon runs, so nothing more can be recorded; restart the daemon "
                  "with `drover stop` and any other command: it takes up the runs from their "
                  "files");
}

bool is_missing(const std::string& path, struct stat& info) {
  return ::stat(path.c_str(), &info) != 0 && (errno == ENOENT || errno == ENOTDIR);
}

}  // namespace

DatabaseFile::DatabaseFile(std::string path) : path_(std::move(path)) {
  struct stat info{};
  if (path_.empty() || ::stat(path_.c_str(), &info) != 0) return;
  device_ = info.st_dev;
  number_ = info.st_ino;
}

Result<> DatabaseFile::check() const {
  if (number_ == 0) return {};
  struct stat info{};
  if (is_missing(path_, info)) return gone(path_, " was removed");
  // Another error says nothing about the file; SQLite meets it, too.
  if (info.st_ino != 0 && (info.st_dev != device_ || info.st_ino != number_)) {
    return gone(path_, " was replaced by another file");
  }
  const std::string wal = path_ + "-wal";
  if (!is_missing(wal, info)) {
    has_wal_ = true;
  } else if (has_wal_) {
    return gone(wal, " was removed");
  }
  return {};
}

}  // namespace drover::store::sqlite
