// The generation file holds the highest event number that the store has committed. It is written
// after each commit and never synced: a killed daemon loses nothing of it, and after a power cut it
// may only be behind, which means nothing. If its number is beyond the end of the log when the
// database is opened, the database is an older one that somebody has restored. docs/schema.md
// describes the file.
//
// Lives on the writer's thread.
#pragma once

#include <cstdint>
#include <string>

#include "base/fd.h"

namespace drover::store::sqlite {

class Generation {
 public:
  // An empty path: nothing is read or written.
  explicit Generation(const std::string& path);

  // The number in the file when it was opened; 0: there was none, or it is torn.
  std::int64_t known_seq() const { return known_; }

  // A number that is not higher than the last one costs nothing. A failed write is ignored: the
  // file is behind then.
  void note(std::int64_t seq);

 private:
  Fd file_;
  std::int64_t known_ = 0;
  std::int64_t noted_ = 0;
};

}  // namespace drover::store::sqlite
