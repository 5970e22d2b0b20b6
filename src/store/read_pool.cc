#include "store/read_pool.h"

namespace drover::store {

void ReadPool::open_all() {
  for (size_t i = 0; i < connections_; ++i) {
    if (auto connection = store_.open_snapshots()) give_back(std::move(*connection));
  }
}

asio::awaitable<FoundRuns> ReadPool::ask_all(std::vector<WantedRun> wanted) {
  return ask(daemon_itself(),
             [wanted = std::move(wanted)](Reads& reads) { return find_all(reads, wanted); });
}

asio::awaitable<Result<std::optional<run::Record>>> ReadPool::find(RunId id) {
  if (auto record = store_.at_hand(id)) co_return record;
  auto found = co_await finds_.find({.id = id});
  if (auto newer = store_.at_hand(id)) co_return newer;  // Written since.
  if (!found) co_return std::unexpected(std::move(found.error()));
  if (!*found) co_return std::nullopt;
  co_return std::move((*found)->record);
}

run::Record ReadPool::newest(run::Record answered) const {
  return store_.at_hand(answered.id).value_or(std::move(answered));
}

asio::awaitable<FoundRun> ReadPool::find_stored(RunId id) {
  if (auto record = store_.at_hand(id)) co_return StoredRun{.record = std::move(*record)};
  auto found = co_await finds_.find({.id = id, .or_deleted = true});
  if (auto newer = store_.at_hand(id)) co_return StoredRun{.record = std::move(*newer)};
  co_return found;
}

Result<std::unique_ptr<SnapshotReads>> ReadPool::borrow() {
  {
    const std::lock_guard lock(mutex_);
    if (!idle_.empty()) {
      auto connection = std::move(idle_.back());
      idle_.pop_back();
      return connection;
    }
  }
  return store_.open_snapshots();
}

void ReadPool::give_back(std::unique_ptr<SnapshotReads> connection) {
  const std::lock_guard lock(mutex_);
  idle_.push_back(std::move(connection));
}

}  // namespace drover::store
