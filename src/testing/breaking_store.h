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

#include "store/store.h"

namespace drover::testing {

enum class BreakWhen : std::uint8_t { before, after };

class BreakingStore final : public store::Store {
 public:
  // `within` must outlive it. Nothing breaks until break_write is called.
  explicit BreakingStore(store::Store& within) : within_(within) {}

  // The n-th write from now on fails: 1 is the next. 0: none.
  void break_write(int n, BreakWhen when);
  // While set, every read returns `unavailable`.
  void break_reads(bool broken) { reads_broken_ = broken; }

  // Writes since the last break_write, and whether one of them was broken. If a test's story ends
  // with `!broke()`, it had fewer writes than n: every write has been tried.
  int writes() const { return writes_; }
  bool broke() const { return broke_; }

  void write(store::Write write, store::Done done) override;
  Result<std::optional<run::Record>> find(const RunId& id) override;
  Result<std::vector<RunId>> find_prefix(const std::string& prefix, size_t limit) override;
  Result<std::vector<run::Record>> list(const store::Query& query) override;
  Result<std::vector<run::Event>> events(const store::EventQuery& query) override;
  Result<std::optional<run::Event>> terminal_event(const RunId& id) override;
  Result<std::int64_t> compacted_through() override;
  Result<store::StoreSizes> sizes() override;
  Result<bool> knows_key(const std::string& scope, const std::string& key) override;
  Result<std::int64_t> last_seq() override;
  Result<std::vector<store::Lane>> lanes() override;
  Result<std::vector<std::pair<std::string, std::int64_t>>> crowded_scopes(
      std::int64_t count_max) override;
  const store::Epochs& epochs() const override { return within_.epochs(); }
  Result<store::Table> query(std::string_view sql, const store::Values& values) override;

 private:
  template <class Ask>
  auto read(Ask ask) -> decltype(ask());

  store::Store& within_;
  std::atomic<int> break_at_ = 0;
  std::atomic<BreakWhen> when_ = BreakWhen::before;
  std::atomic<int> writes_ = 0;
  std::atomic<bool> broke_ = false;
  std::atomic<bool> reads_broken_ = false;
};

}  // namespace drover::testing
