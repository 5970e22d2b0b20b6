// The Writer owns the thread that changes the database. All waiting writes go into one transaction
// (group commit), and each caller is answered after that transaction is on disk: many submitters
// share one sync.
//
// `write` may be called from any thread. `done` is called on the writer's thread; if the queue is
// full it is called at once, on the caller's. The destructor writes and answers everything queued,
// then joins.
#pragma once

#include <atomic>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "store/sqlite/clerk.h"
#include "store/sqlite/database_file.h"
#include "store/sqlite/generation.h"

namespace drover::store::sqlite {

class Writer {
 public:
  // `clock` must outlive the writer.
  Writer(std::unique_ptr<Clerk> clerk, Generation generation, std::string path, Options options,
         const Clock& clock);
  ~Writer();

  void write(Write write, Done done);

  // `database_gone`: nothing can be recorded. Any thread.
  Result<> check_file() const { return file_.check(); }

  std::uint64_t commits() const { return commits_.load(std::memory_order_relaxed); }

 private:
  struct Item {
    Write write;
    Done done;
    // Set if this Work took too long and broke its transaction: the answer for it when the rest of
    // the batch is tried again.
    std::optional<Error> refused = {};
  };

  void loop();
  // Waits for work. Writes beyond one batch stay in `waiting_`.
  bool take(std::vector<Item>& batch);
  void carry_out(std::vector<Item>& batch);
  Result<> commit(std::vector<Item>& batch, std::vector<Answer>& answers);
  // After a COMMIT that failed with `why`: finds out whether it landed all the same.
  Result<> resolve_failed_commit(const std::vector<Answer>& answers, const Error& why);
  Result<bool> landed(const std::vector<Answer>& answers);
  Result<> repair_wal();
  bool freed_wal_space();
  Result<> reopen();

  const std::string path_;
  const Options options_;
  const Clock& clock_;
  Generation generation_;
  const DatabaseFile file_;
  std::unique_ptr<Clerk> clerk_;  // Null after a failure, until it can be opened again.

  // The repair that is needed after a failed commit before the WAL can be trusted again.
  enum class WalRepair : std::uint8_t {
    none,
    seal,  // It did not land: make sure that it never does.
    save,  // It landed, but perhaps only in memory: write it to the disk in another way.
  };
  WalRepair repair_ = WalRepair::none;
  bool full_ = false;  // The last commit found the disk full.
  std::atomic<std::uint64_t> commits_ = 0;

  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<Item> waiting_;
  // How many writes are expected together, judging by the last batch.
  size_t expected_together_ = 1;
  bool stopping_ = false;

  std::thread thread_;  // Last: it uses everything above.
};

}  // namespace drover::store::sqlite
