// SqliteStore is the embedded Store: one file in WAL mode, one writer thread with group commit, one
// reading connection for the loop and one for each of `open_snapshots`. Every commit is synced
// (synchronous=FULL) before its callers are answered.
//
// The database file is private (0600). A newer, foreign or damaged one is reported and not changed.
// The destructor writes and answers everything queued, then closes.
#pragma once

#include <memory>
#include <string>

#include "base/clock.h"
#include "store/sqlite/options.h"
#include "store/sqlite/recent.h"
#include "store/store.h"

namespace drover::store {

namespace sqlite {
class OpenSnapshots;
class Reader;
class Writer;
}  // namespace sqlite

class SqliteStore final : public Store {
 public:
  // Errors: `database_newer`, `database_foreign`, `database_corrupt`, or the system's own. `clock`
  // must outlive the store.
  static Result<std::unique_ptr<SqliteStore>> open(const std::string& path, const Clock& clock,
                                                   sqlite::Options options = {});
  ~SqliteStore() override;

  void write(Write write, Done done) override;
  Result<std::optional<run::Record>> find(const RunId& id) override;
  Result<std::vector<RunId>> find_prefix(const std::string& prefix, size_t limit) override;
  Result<std::vector<run::Record>> list(const Query& query) override;
  Result<std::vector<run::Event>> events(const EventQuery& query) override;
  Result<std::optional<run::Event>> final_event(const RunId& id) override;
  Result<std::int64_t> compacted_through() override;
  Result<StoreSizes> sizes() override;
  Result<bool> knows_key(const std::string& scope, const std::string& key) override;
  Result<std::int64_t> last_seq() override;
  Result<std::vector<Lane>> lanes() override;
  Result<std::vector<std::pair<std::string, std::int64_t>>> crowded_scopes(
      std::int64_t count_max) override;
  std::uint64_t commits() const override;
  std::optional<run::Record> at_hand(const RunId& id) const override { return recent_.find(id); }
  Result<std::unique_ptr<SnapshotReads>> open_snapshots() override;
  const Epochs& epochs() const override { return epochs_; }
  Result<Table> query(std::string_view sql, const Values& values) override;

 private:
  SqliteStore(std::unique_ptr<sqlite::Reader> reader, std::unique_ptr<sqlite::Writer> writer,
              Epochs epochs);

  const Epochs epochs_;
  std::string path_, vfs_;
  std::shared_ptr<sqlite::OpenSnapshots> snapshots_;
  sqlite::Recent recent_;  // Before the writer, which uses it until its destructor returns.
  std::unique_ptr<sqlite::Reader> reader_;
  std::unique_ptr<sqlite::Writer> writer_;
};

}  // namespace drover::store
