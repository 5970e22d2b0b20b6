#include "store/sqlite/sqlite_store.h"

#include <utility>

#include "base/id.h"
#include "store/sqlite/reader.h"
#include "store/sqlite/writer.h"

namespace drover::store {
namespace {

constexpr size_t kEpochDigits = 8;  // A thousand starts are enough; two of one name are not met.

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
  auto writer = std::make_unique<sqlite::Writer>(std::move(*clerk), std::move(generation), path,
                                                 std::move(options), clock);
  return std::unique_ptr<SqliteStore>(
      new SqliteStore(std::move(*reader), std::move(writer), std::move(*epochs)));
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
Result<std::optional<run::Event>> SqliteStore::terminal_event(const RunId& id) {
  return reader_->terminal_event(id);
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

std::uint64_t SqliteStore::commits() const {
  return writer_->commits();
}

}  // namespace drover::store
