// PageReaders remembers which runs are read in pages, one request for each. Between two pages such
// a reader has no connection, so retention could remove the run in the middle (R9). A run counts as
// read for an hour after a page that was not the last one. Lives on the daemon's loop.
#pragma once

#include <cstddef>
#include <unordered_map>

#include "base/clock.h"
#include "base/id.h"

namespace drover::dispatch {

class PageReaders {
 public:
  // `clock` must outlive it.
  explicit PageReaders(const Clock& clock) : clock_(clock) {}

  // A page of the run was read, and more of it follows.
  void remember(const RunId& run);
  bool has(const RunId& run) const;
  size_t size() const { return until_.size(); }

 private:
  void make_room();

  const Clock& clock_;
  std::unordered_map<RunId, MonoNs> until_;  // When the run no longer counts as read.
};

}  // namespace drover::dispatch
