// A SnapshotReader reads for one worker on a connection of its own. Its read
// transaction begins with the first statement of a read and ends with the read.
//
// OpenSnapshots are all of them, for the writer: a snapshot keeps the WAL from being reused, and
// the writer interrupts those that keep it too long.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <unordered_set>

#include "store/sqlite/reader.h"
#include "store/store.h"

namespace drover::store::sqlite {

class SnapshotReader;

// Any thread.
class OpenSnapshots {
 public:
  void interrupt_all();

 private:
  friend class SnapshotReader;
  std::mutex mutex_;
  std::unordered_set<SnapshotReader*> all_;
};

class SnapshotReader final : public SnapshotReads {
 public:
  static Result<std::unique_ptr<SnapshotReads>> open(const std::string& path,
                                                     const Options& options,
                                                     std::shared_ptr<OpenSnapshots> all,
                                                     std::function<Result<>()> check_file);
  ~SnapshotReader() override;

  void begin(ReadCheck check, bool may_be_interrupted) override;
  bool end() override;

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
  Result<Table> query(std::string_view sql, const Values& values) override;

 private:
  friend class OpenSnapshots;
  SnapshotReader(std::unique_ptr<Reader> reader, std::shared_ptr<OpenSnapshots> all,
                 std::function<Result<>()> check_file);

  template <class Answer>
  auto answered(Answer answer) -> decltype(answer());
  Result<> look();  // Whether the read may continue.
  static int on_progress(void* self);

  std::unique_ptr<Reader> reader_;
  const std::shared_ptr<OpenSnapshots> all_;
  const std::function<Result<>()> check_file_;  // Whether the database is still in its place.
  ReadCheck check_;
  std::optional<Error> stopped_;  // Why the read may not continue.
  bool begun_ = false;
  std::atomic<bool> may_be_interrupted_ = false;
  std::atomic<bool> interrupted_ = false;
};

}  // namespace drover::store::sqlite
