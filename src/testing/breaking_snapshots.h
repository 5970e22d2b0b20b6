// BreakingSnapshots are the read connections of a BreakingStore: their reads fail and hang whenever
// the store's own do.
//
// Threads: as the connection within.
#pragma once

#include <memory>
#include <utility>

#include "testing/breaking_store.h"

namespace drover::testing {

class BreakingSnapshots final : public store::SnapshotReads {
 public:
  // `store` must outlive it.
  BreakingSnapshots(BreakingStore& store, std::unique_ptr<store::SnapshotReads> within)
      : store_(store), within_(std::move(within)) {}

  void begin(store::ReadCheck check, bool may_be_interrupted) override {
    within_->begin(std::move(check), may_be_interrupted);
  }
  bool end() override { return within_->end(); }

  Result<std::optional<run::Record>> find(const RunId& id) override {
    return store_.read([&] { return within_->find(id); });
  }
  Result<std::vector<RunId>> find_prefix(const std::string& prefix, size_t limit) override {
    return store_.read([&] { return within_->find_prefix(prefix, limit); });
  }
  Result<std::vector<run::Record>> list(const store::Query& query) override {
    return store_.read([&] { return within_->list(query); });
  }
  Result<std::vector<run::Event>> events(const store::EventQuery& query) override {
    return store_.read([&] { return within_->events(query); });
  }
  Result<std::optional<run::Event>> final_event(const RunId& id) override {
    return store_.read([&] { return within_->final_event(id); });
  }
  Result<std::int64_t> compacted_through() override {
    return store_.read([&] { return within_->compacted_through(); });
  }
  Result<store::StoreSizes> sizes() override {
    return store_.read([&] { return within_->sizes(); });
  }
  Result<bool> knows_key(const std::string& scope, const std::string& key) override {
    return store_.read([&] { return within_->knows_key(scope, key); });
  }
  Result<std::int64_t> last_seq() override {
    return store_.read([&] { return within_->last_seq(); });
  }
  Result<std::vector<store::Lane>> lanes() override {
    return store_.read([&] { return within_->lanes(); });
  }
  Result<std::vector<std::pair<std::string, std::int64_t>>> crowded_scopes(
      std::int64_t count_max) override {
    return store_.read([&] { return within_->crowded_scopes(count_max); });
  }
  Result<store::Table> query(std::string_view sql, const store::Values& values) override {
    return store_.read([&] { return within_->query(sql, values); });
  }

 private:
  BreakingStore& store_;
  std::unique_ptr<store::SnapshotReads> within_;
};

}  // namespace drover::testing
