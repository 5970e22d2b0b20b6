#include "testing/breaking_store.h"

#include <memory>
#include <utility>

#include "store/refusals.h"
#include "testing/breaking_snapshots.h"

namespace drover::testing {

std::unexpected<Error> BreakingStore::broken() {
  return fail(ErrorCode::unavailable, "broken_on_purpose", "a test broke this call; try again");
}

void BreakingStore::hold_reads(bool held) {
  reads_held_ = held;
  reads_held_.notify_all();
}

void BreakingStore::wait_while_held() {
  if (!reads_held_) return;
  ++held_reads_;
  reads_held_.wait(true);
  --held_reads_;
}

void BreakingStore::break_write(int n, BreakWhen when) {
  writes_ = 0;
  broke_ = false;
  when_ = when;
  break_at_ = n;
}

void BreakingStore::hold_writes(bool held) {
  writes_held_ = held;
  if (held) return;
  for (auto& [write, done] : std::exchange(held_, {})) {
    this->write(std::move(write), std::move(done));
  }
}

void BreakingStore::write(store::Write write, store::Done done) {
  if (writes_held_) {
    held_.emplace_back(std::move(write), std::move(done));
    return;
  }
  if (writes_broken_) return done(broken());
  if (++writes_ != break_at_) return within_.write(std::move(write), std::move(done));
  broke_ = true;
  if (when_ == BreakWhen::before) return done(broken());
  within_.write(std::move(write), [done = std::move(done)](Result<store::Written>) mutable {
    done(store::commit_unknown("a test broke this call"));
  });
}

Result<std::optional<run::Record>> BreakingStore::find(const RunId& id) {
  return read([&] { return within_.find(id); });
}
Result<std::vector<RunId>> BreakingStore::find_prefix(const std::string& prefix, size_t limit) {
  return read([&] { return within_.find_prefix(prefix, limit); });
}
Result<std::vector<run::Record>> BreakingStore::list(const store::Query& query) {
  return read([&] { return within_.list(query); });
}
Result<std::vector<run::Event>> BreakingStore::events(const store::EventQuery& query) {
  return read([&] { return within_.events(query); });
}
Result<std::optional<run::Event>> BreakingStore::final_event(const RunId& id) {
  return read([&] { return within_.final_event(id); });
}
Result<std::int64_t> BreakingStore::compacted_through() {
  return read([&] { return within_.compacted_through(); });
}
Result<store::StoreSizes> BreakingStore::sizes() {
  return read([&] { return within_.sizes(); });
}
Result<bool> BreakingStore::knows_key(const std::string& scope, const std::string& key) {
  return read([&] { return within_.knows_key(scope, key); });
}
Result<std::int64_t> BreakingStore::last_seq() {
  return read([&] { return within_.last_seq(); });
}
Result<std::vector<store::Lane>> BreakingStore::lanes() {
  return read([&] { return within_.lanes(); });
}
Result<std::vector<std::pair<std::string, std::int64_t>>> BreakingStore::crowded_scopes(
    std::int64_t count_max) {
  return read([&] { return within_.crowded_scopes(count_max); });
}
Result<store::Table> BreakingStore::query(std::string_view sql, const store::Values& values) {
  return read([&] { return within_.query(sql, values); });
}

Result<std::unique_ptr<store::SnapshotReads>> BreakingStore::open_snapshots() {
  if (reads_broken_) return broken();
  auto within = within_.open_snapshots();
  if (!within) return within;
  return std::make_unique<BreakingSnapshots>(*this, std::move(*within));
}

}  // namespace drover::testing
