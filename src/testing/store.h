// A TestStore is the store that tests use: a real SqliteStore with a new, empty database in a
// directory of its own, which is removed with it. The directory is on tmpfs if /dev/shm is
// writable, so that a commit does not wait for a disk.
//
// Threads: as SqliteStore. It commits a write and calls `done` on a thread of its own; a test that
// needs the answer waits for it, most simply with store::write_to (store/store_contract.h).
#pragma once

#include <memory>
#include <string>

#include "base/clock.h"
#include "store/sqlite/options.h"
#include "store/sqlite/sqlite_store.h"
#include "testing/directory.h"

namespace drover::testing {

class TestStore final : public store::Store {
 public:
  // `clock` must outlive the store.
  explicit TestStore(const Clock& clock, store::sqlite::Options options = {});

  // Writes and answers everything queued, closes the database and opens it again, as the next
  // daemon does: no record is cached any more.
  void reopen();

  // Executes `sql` on a separate connection, past all of the store's checks. The store may still
  // answer from its cache until reopen().
  void damage(const std::string& sql);

  // The database file, for a test that opens it itself.
  std::string file() const { return directory_.file("drover.db"); }

  void write(store::Write write, store::Done done) override {
    store_->write(std::move(write), std::move(done));
  }
  Result<std::optional<run::Record>> find(const RunId& id) override { return store_->find(id); }
  Result<std::vector<RunId>> find_prefix(const std::string& prefix, size_t limit) override {
    return store_->find_prefix(prefix, limit);
  }
  Result<std::vector<run::Record>> list(const store::Query& query) override {
    return store_->list(query);
  }
  Result<std::vector<run::Event>> events(const store::EventQuery& query) override {
    return store_->events(query);
  }
  Result<std::optional<run::Event>> final_event(const RunId& id) override {
    return store_->final_event(id);
  }
  Result<std::int64_t> compacted_through() override { return store_->compacted_through(); }
  Result<store::StoreSizes> sizes() override { return store_->sizes(); }
  Result<bool> knows_key(const std::string& scope, const std::string& key) override {
    return store_->knows_key(scope, key);
  }
  Result<std::int64_t> last_seq() override { return store_->last_seq(); }
  Result<std::vector<store::Lane>> lanes() override { return store_->lanes(); }
  Result<std::vector<std::pair<std::string, std::int64_t>>> crowded_scopes(
      std::int64_t count_max) override {
    return store_->crowded_scopes(count_max);
  }
  std::uint64_t commits() const override { return store_->commits(); }
  std::optional<run::Record> at_hand(const RunId& id) const override { return store_->at_hand(id); }
  Result<std::unique_ptr<store::SnapshotReads>> open_snapshots() override {
    return store_->open_snapshots();
  }
  const store::Epochs& epochs() const override { return store_->epochs(); }
  Result<store::Table> query(std::string_view sql, const store::Values& values) override {
    return store_->query(sql, values);
  }

 private:
  void open();

  const Clock& clock_;
  const store::sqlite::Options options_;
  TestDirectory directory_{DirectoryPlace::memory};
  std::unique_ptr<store::SqliteStore> store_;
};

}  // namespace drover::testing
