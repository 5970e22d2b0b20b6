// The writer is the one thread that changes the database. Everything that waits goes into one
// transaction (group commit), and every caller is told after that transaction is on disk: many
// submitters share one sync.
//
// `write` may be called from any thread. `done` is called on the writer's thread; only when the
// queue is full it is called at once, on the caller's. The destructor writes what is queued, tells
// everybody, and joins.
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

namespace drover::store::sqlite {

class Writer {
 public:
  // `clock` must outlive the writer.
  Writer(std::unique_ptr<Clerk> clerk, std::string path, Options options, const Clock& clock);
  ~Writer();

  void write(Write write, Done done);

  std::uint64_t commits() const { return commits_.load(std::memory_order_relaxed); }

 private:
  struct Item {
    Write write;
    Done done;
    // A Work that took too long and took the transaction along: what it is answered when the rest
    // of the batch is tried again.
    std::optional<Error> refused = {};
  };

  void loop();
  // Waits for work; what is left of the queue beyond one batch stays in `waiting_`.
  bool take(std::vector<Item>& batch);
  void carry_out(std::vector<Item>& batch);
  Result<> commit(std::vector<Item>& batch, std::vector<Answer>& answers);
  // After a COMMIT that failed with `why`: looks whether it did after all.
  Result<> find_out(const std::vector<Answer>& answers, const Error& why);
  Result<bool> landed(const std::vector<Answer>& answers);
  Result<> settle_debt();
  bool made_room();
  Result<> reopen();

  const std::string path_;
  const Options options_;
  const Clock& clock_;
  std::unique_ptr<Clerk> clerk_;  // Null after a failure, until it can be opened again.

  // What a failed commit left to be done before the log can be trusted again.
  enum class Debt : std::uint8_t {
    none,
    seal,  // It is not there: see to it that it never is.
    save,  // It is there, but perhaps in memory only: get it to the disk by another way.
  };
  Debt debt_ = Debt::none;
  bool full_ = false;  // The last commit found no room.
  std::atomic<std::uint64_t> commits_ = 0;

  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<Item> waiting_;
  size_t company_ = 1;  // How many are expected to come together, judging by the last time.
  bool stopping_ = false;

  std::thread thread_;  // Last: it uses everything above.
};

}  // namespace drover::store::sqlite
