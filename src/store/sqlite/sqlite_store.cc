#include "store/sqlite/sqlite_store.h"

#include <utility>

#include "base/id.h"
#include "store/sqlite/reader.h"
#include "store/sqlite/snapshot_reader.h"
#include "store/sqlite/writer.h"

namespace drover::store {
namespace {

// 32 random bits: two of the 1,000 epochs that are kept practically never get the same name.
constexpr size_t kEpochDigits = 8;

}  // namespace

Result<std::unique_ptr<SqliteStore>> SqliteStore::open(const std::string& path, const Clock& clock,
                                                       sqlite::Options options) {
  sqlite::Generation generation(options.generation);
  options.known_seq = generation.known_seq();
  options.epoch = random_hex(kEpochDigits);
  auto clerk = sqlite::Clerk::open(path, options, clock);
  if (!clerk) return std::unexpected(clerk.error());
  auto reader = sqlite::Reader::open(path, options);
  if (!reader) return std::unexpected(reader.error());
  auto epochs = (*reader)->epochs((*clerk)->epoch());
  if (!epochs) return std::unexpected(epochs.error());
  auto snapshots = std::make_shared<sqlite::OpenSnapshots>();
  options.interrupt_readers = [snapshots] { snapshots->interrupt_all(); };
  const std::string vfs = options.vfs;
  auto writer = std::make_unique<sqlite::Writer>(std::move(*clerk), std::move(generation), path,
                                                 std::move(options), clock);
  std::unique_ptr<SqliteStore> store(
      new SqliteStore(std::move(*reader), std::move(writer), std::move(*epochs)));
  store->snapshots_ = std::move(snapshots);
  store->path_ = path;
  store->vfs_ = vfs;
  return store;
}

SqliteStore::SqliteStore(std::unique_ptr<sqlite::Reader> reader,
                         std::unique_ptr<sqlite::Writer> writer, Epochs epochs)
    : epochs_(std::move(epochs)), reader_(std::move(reader)), writer_(std::move(writer)) {}

SqliteStore::~SqliteStore() = default;

void SqliteStore::write(Write write, Done done) {
  const auto* fact = std::get_if<run::Fact>(&write);
  const bool is_fact = fact != nullptr;
  const RunId id = is_fact ? run::subject(*fact) : RunId();
  writer_->write(std::move(write),
                 [this, is_fact, id, done = std::move(done)](Result<Written> result) mutable {
                   if (result) {
                     recent_.see(*result);
                   } else if (is_fact) {
                     recent_.forget(id);
                   } else if (result.error().code == ErrorCode::unavailable) {
                     recent_.forget_all();  // Only the lost answer would have named the runs.
                   }
                   done(std::move(result));
                 });
}
Result<std::optional<run::Record>> SqliteStore::find(const RunId& id) {
  if (auto record = recent_.find(id)) return record;
  return reader_->find(id);
}
Result<std::vector<RunId>> SqliteStore::find_prefix(const std::string& prefix, size_t limit) {
  return reader_->find_prefix(prefix, limit);
}
Result<std::vector<run::Record>> SqliteStore::list(const Query& query) {
  return reader_->list(query);
}
Result<std::vector<run::Event>> SqliteStore::events(const EventQuery& query) {
  return reader_->events(query);
}
Result<std::optional<run::Event>> SqliteStore::final_event(const RunId& id) {
  return reader_->final_event(id);
}
Result<std::int64_t> SqliteStore::compacted_through() {
  return reader_->compacted_through();
}
Result<StoreSizes> SqliteStore::sizes() {
  return reader_->sizes();
}
Result<bool> SqliteStore::knows_key(const std::string& scope, const std::string& key) {
  return reader_->knows_key(scope, key);
}
Result<std::int64_t> SqliteStore::last_seq() {
  if (auto there = writer_->check_file(); !there) return std::unexpected(there.error());
  return reader_->last_seq();
}
Result<std::vector<Lane>> SqliteStore::lanes() {
  return reader_->lanes();
}
Result<std::vector<std::pair<std::string, std::int64_t>>> SqliteStore::crowded_scopes(
    std::int64_t count_max) {
  return reader_->crowded_scopes(count_max);
}
Result<Table> SqliteStore::query(std::string_view sql, const Values& values) {
  return reader_->query(sql, values);
}

Result<std::unique_ptr<SnapshotReads>> SqliteStore::open_snapshots() {
  // A connection that is opened now must not get another file.
  if (auto there = writer_->check_file(); !there) return std::unexpected(there.error());
  return sqlite::SnapshotReader::open(path_, {.vfs = vfs_}, snapshots_,
                                      [this] { return writer_->check_file(); });
}

std::uint64_t SqliteStore::commits() const {
  return writer_->commits();
}

}  // namespace drover::store
