#include "store/sqlite/snapshot_reader.h"

#include <utility>

namespace drover::store::sqlite {
namespace {

constexpr int kLookEvery = 4'096;  // Instructions of SQLite's machine: some 100 µs.

}  // namespace

void OpenSnapshots::interrupt_all() {
  const std::lock_guard lock(mutex_);
  for (SnapshotReader* one : all_) {
    if (one->may_be_interrupted_) one->interrupted_ = true;
  }
}

Result<std::unique_ptr<SnapshotReads>> SnapshotReader::open(const std::string& path,
                                                            const Options& options,
                                                            std::shared_ptr<OpenSnapshots> all,
                                                            std::function<Result<>()> check_file) {
  auto reader = Reader::open(path, options);
  if (!reader) return std::unexpected(reader.error());
  return std::unique_ptr<SnapshotReads>(
      new SnapshotReader(std::move(*reader), std::move(all), std::move(check_file)));
}

SnapshotReader::SnapshotReader(std::unique_ptr<Reader> reader, std::shared_ptr<OpenSnapshots> all,
                               std::function<Result<>()> check_file)
    : reader_(std::move(reader)), all_(std::move(all)), check_file_(std::move(check_file)) {
  sqlite3_progress_handler(reader_->raw(), kLookEvery, &SnapshotReader::on_progress, this);
  const std::lock_guard lock(all_->mutex_);
  all_->all_.insert(this);
}

SnapshotReader::~SnapshotReader() {
  const std::lock_guard lock(all_->mutex_);
  all_->all_.erase(this);
}

void SnapshotReader::begin(ReadCheck check, bool may_be_interrupted) {
  check_ = std::move(check);
  stopped_.reset();
  interrupted_ = false;
  may_be_interrupted_ = may_be_interrupted;
}

bool SnapshotReader::end() {
  may_be_interrupted_ = false;
  check_ = nullptr;
  if (std::exchange(begun_, false)) reader_->end_snapshot();
  return interrupted_;
}

Result<> SnapshotReader::look() {
  if (stopped_) return std::unexpected(*stopped_);
  if (interrupted_) {
    return fail(ErrorCode::unavailable, "interrupted", "the store was busy; try again");
  }
  if (!check_) return {};
  auto ok = check_();
  if (!ok) stopped_ = ok.error();
  return ok;
}

int SnapshotReader::on_progress(void* self) {
  return static_cast<SnapshotReader*>(self)->look() ? 0 : 1;
}

template <class Answer>
auto SnapshotReader::answered(Answer answer) -> decltype(answer()) {
  if (auto ok = look(); !ok) return std::unexpected(ok.error());
  if (!begun_) {
    if (auto ok = reader_->begin_snapshot(); !ok) return std::unexpected(ok.error());
    begun_ = true;
  }
  auto out = answer();
  if (!out && stopped_) return std::unexpected(*stopped_);  // Not SQLite's own words for it.
  return out;
}

Result<std::optional<run::Record>> SnapshotReader::find(const RunId& id) {
  return answered([&] { return reader_->find(id); });
}
Result<std::vector<RunId>> SnapshotReader::find_prefix(const std::string& prefix, size_t limit) {
  return answered([&] { return reader_->find_prefix(prefix, limit); });
}
Result<std::vector<run::Record>> SnapshotReader::list(const Query& query) {
  return answered([&] { return reader_->list(query); });
}
Result<std::vector<run::Event>> SnapshotReader::events(const EventQuery& query) {
  return answered([&] { return reader_->events(query); });
}
Result<std::optional<run::Event>> SnapshotReader::final_event(const RunId& id) {
  return answered([&] { return reader_->final_event(id); });
}
Result<std::int64_t> SnapshotReader::compacted_through() {
  return answered([&] { return reader_->compacted_through(); });
}
Result<StoreSizes> SnapshotReader::sizes() {
  return answered([&] { return reader_->sizes(); });
}
Result<bool> SnapshotReader::knows_key(const std::string& scope, const std::string& key) {
  return answered([&] { return reader_->knows_key(scope, key); });
}
Result<std::int64_t> SnapshotReader::last_seq() {
  if (auto there = check_file_(); !there) return std::unexpected(there.error());
  return answered([&] { return reader_->last_seq(); });
}
Result<std::vector<Lane>> SnapshotReader::lanes() {
  return answered([&] { return reader_->lanes(); });
}
Result<std::vector<std::pair<std::string, std::int64_t>>> SnapshotReader::crowded_scopes(
    std::int64_t count_max) {
  return answered([&] { return reader_->crowded_scopes(count_max); });
}
Result<Table> SnapshotReader::query(std::string_view sql, const Values& values) {
  return answered([&] { return reader_->query(sql, values); });
}

}  // namespace drover::store::sqlite
