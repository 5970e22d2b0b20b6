// A DatabaseFile remembers which file the store has opened. SQLite keeps using a file that was
// removed or replaced, and everything that it commits is lost when the daemon exits. So the store
// looks before each commit whether its file and the WAL are still in place: two calls of stat.
// Any thread.
#pragma once

#include <atomic>
#include <string>

#include "base/result.h"

namespace drover::store::sqlite {

class DatabaseFile {
 public:
  // Of a database that is open. With a VFS of a test there is no file to look at: pass no path.
  explicit DatabaseFile(std::string path);

  // `database_gone`: what is committed now would be lost.
  Result<> check() const;

 private:
  const std::string path_;
  unsigned long device_ = 0;
  unsigned long number_ = 0;
  mutable std::atomic<bool> has_wal_ = false;  // It was seen: from then on it must be there.
};

}  // namespace drover::store::sqlite
