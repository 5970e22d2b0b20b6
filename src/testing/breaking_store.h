// A BreakingStore wraps another Store and breaks one call of it: the n-th write since
// `break_write(n, …)`, once; everything else passes. So a test can make the disk fail at every
// point of a story, one by one.
//
//   before   nothing is written; the answer is `unavailable`, at once, on the caller's thread.
//   after    it is written, but the answer is `unavailable`, at the usual time and on the usual
//            thread, as after a `commit_unknown`: a caller must survive that.
//
// Threads: as the store within.
#pragma once

#include <atomic>
#include <utility>
#include <vector>

#include "store/store.h"

namespace drover::testing {

enum class BreakWhen : std::uint8_t { before, after };

class BreakingStore final : public store::Store {
 public:
  // `within` must outlive it. Nothing breaks until break_write is called.
  explicit BreakingStore(store::Store& within) : within_(within) {}

  // The n-th write from now on fails: 1 is the next. 0: none.
  void break_write(int n, BreakWhen when);
  // While set, every write fails as on a full disk.
  void break_writes(bool broken) { writes_broken_ = broken; }
  // While set, no write is answered, as on a disk that hangs. Then those that waited are written,
  // in order. Call it from the thread that writes.
  void hold_writes(bool held);
  // While set, every read returns `unavailable`, and nothing is in memory.
  void break_reads(bool broken) { reads_broken_ = broken; }
  // While set, no read returns, as on a disk that hangs; records in memory are still there. Unset
  // it before the readers are destroyed.
  void hold_reads(bool held);
  // How many reads wait for that.
  int held_reads() const { return held_reads_; }

  // Writes since the last break_write, and whether one of them was broken. If a test's story ends
  // with `!broke()`, it had fewer writes than n: every write has been tried.
  int writes() const { return writes_; }
  bool broke() const { return broke_; }

  void write(store::Write write, store::Done done) override;
  Result<std::optional<run::Record>> find(const RunId& id) override;
  Result<std::vector<RunId>> find_prefix(const std::string& prefix, size_t limit) override;
  Result<std::vector<run::Record>> list(const store::Query& query) override;
  Result<std::vector<run::Event>> events(const store::EventQuery& query) override;
  Result<std::optional<run::Event>> final_event(const RunId& id) override;
  Result<std::int64_t> compacted_through() override;
  Result<store::StoreSizes> sizes() override;
  Result<bool> knows_key(const std::string& scope, const std::string& key) override;
  Result<std::int64_t> last_seq() override;
  Result<std::vector<store::Lane>> lanes() override;
  Result<std::vector<std::pair<std::string, std::int64_t>>> crowded_scopes(
      std::int64_t count_max) override;
  const store::Epochs& epochs() const override { return within_.epochs(); }
  std::optional<run::Record> at_hand(const RunId& id) const override {
    return reads_broken_ ? std::nullopt : within_.at_hand(id);
  }
  Result<std::unique_ptr<store::SnapshotReads>> open_snapshots() override;
  Result<store::Table> query(std::string_view sql, const store::Values& values) override;

  // Waits while reads are held, then answers `ask`, unless reads are broken. Any thread.
  template <class Ask>
  auto read(Ask ask) -> decltype(ask()) {
    wait_while_held();
    if (reads_broken_) return broken();
    return ask();
  }

 private:
  static std::unexpected<Error> broken();
  void wait_while_held();

  store::Store& within_;
  std::atomic<bool> writes_broken_ = false;
  bool writes_held_ = false;
  std::vector<std::pair<store::Write, store::Done>> held_;
  std::atomic<int> break_at_ = 0;
  std::atomic<BreakWhen> when_ = BreakWhen::before;
  std::atomic<int> writes_ = 0;
  std::atomic<bool> broke_ = false;
  std::atomic<bool> reads_broken_ = false;
  std::atomic<bool> reads_held_ = false;
  std::atomic<int> held_reads_ = 0;
};

}  // namespace drover::testing
