// FileWatches watches the trees of all file triggers and reports batches of changes. It owns one
// inotify descriptor; walks run on the pool, and the loop reads a bounded number of events a turn.
//
// The owner stores each batch, then accepts it:
//   1. `set(id, spec, stored)` with the snapshot that the trigger stored last, or an empty one;
//   2. `on_batch(id, batch)`: in one commit, record what the changes start and store `batch.parts`
//      (count 0: only store the parts);
//   3. `accepted(id)`: the next batch may follow. A commit that fails is repeated with the same
//      batch; meanwhile changes gather, and nothing is lost.
// After a crash, `set` with the stored snapshot finds every change whose batch was not stored, and
// those made meanwhile, once.
//
// Lives on the loop; `pool` and `clock` must outlive it. `on_batch` may call any method.
#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "base/clock.h"
#include "base/result.h"
#include "triggers/files/file_spec.h"
#include "triggers/files/inspection.h"
#include "triggers/files/limits.h"
#include "triggers/files/snapshot.h"
#include "work/pool.h"

namespace drover::triggers {

namespace asio = boost::asio;

struct FileWatchStatus {
  bool is_polling = false;
  size_t files = 0;     // Known files.
  std::string warning;  // Why it is polled, cannot be read, or has nothing to watch; or empty.
};

class FileWatches {
 public:
  using OnBatch = std::function<void(const std::string& id, ChangeBatch batch)>;

  FileWatches(asio::any_io_executor loop, work::Pool& pool, const Clock& clock, OnBatch on_batch,
              size_t watches_max = kWatchesMax);
  ~FileWatches();
  FileWatches(const FileWatches&) = delete;
  FileWatches& operator=(const FileWatches&) = delete;

  // Starts to watch, or replaces an earlier watch of this id; its unaccepted batch is void. Errors:
  // those of validate(), and `too_many_trees`.
  Result<> set(const std::string& id, FileSpec spec, Snapshot stored);
  void remove(const std::string& id);
  void accepted(const std::string& id);
  // For an owner that reads the files itself: also calls this after each inspection that found
  // nothing to report. The owner may have read a file that was created and deleted again: nothing
  // has changed.
  void on_unchanged(std::function<void(const std::string& id)> call);
  std::optional<FileWatchStatus> status(const std::string& id) const;

  // Tests: the kernel's watches in use.
  size_t watches() const;

 private:
  struct Shared;  // Shared with inspections that are still running.
  std::shared_ptr<Shared> shared_;
};

}  // namespace drover::triggers
