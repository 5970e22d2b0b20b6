// The contract of a Store: the tests that every implementation must pass. They are in
// store_contract_*_test.cc, by subject; store_contract_test.cc lists the stores. A new store is one
// more line there.
//
// The fixture is a test's whole world: a clock that the test sets, a new empty store, and short
// functions for the facts of a run's life. All reads come from the test's thread, as the seam
// requires.
#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <future>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "store/store.h"
#include "testing/clock.h"

namespace drover::store {

struct StoreKind {
  std::string name;
  // A new empty store that owns everything it needs.
  std::function<std::shared_ptr<Store>(const Clock& clock, size_t queued_max)> open;
};
inline std::ostream& operator<<(std::ostream& out, const StoreKind& kind) {
  return out << kind.name;
}

// The value, or a failed test with the error's message.
template <class T>
T must(Result<T> result) {
  if (!result) throw std::runtime_error(result.error().reason + ": " + result.error().message);
  return std::move(*result);
}

template <class T>
std::string reason_of(const Result<T>& result) {
  return result ? "" : result.error().reason;
}

inline Result<Written> write_to(Store& store, Write write) {
  std::promise<Result<Written>> written;
  auto answer = written.get_future();
  store.write(std::move(write), [&](Result<Written> r) { written.set_value(std::move(r)); });
  return answer.get();
}

class StoreContract : public ::testing::TestWithParam<StoreKind> {
 public:
  void SetUp() override { reopen(limits::kQueuedMax); }
  void reopen(size_t queued_max) { store = GetParam().open(clock, queued_max); }

  Result<Written> write(Write fact) { return write_to(*store, std::move(fact)); }
  Result<Written> record(run::Fact fact) { return write(Write(std::move(fact))); }

  // A record as the dispatcher first creates it.
  run::Record draft(const std::string& lane = "default", const std::string& scope = "default") {
    run::Record r;
    r.id = ids.next();
    r.trace_id = r.id.trace_id();
    r.kind = "command";
    r.scope = scope;
    r.command = {"make", "test"};
    r.cwd = "/";
    r.lane = lane;
    r.queued_at = clock.wall_ms();
    return r;
  }

  run::Record submit(run::Record r) {
    return must(record(run::Submitted{std::move(r), "", ""})).record;
  }
  run::Record submit(const std::string& lane = "default", const std::string& scope = "default") {
    return submit(draft(lane, scope));
  }
  Result<Written> claim(const RunId& id) { return record(run::Claimed{id}); }
  Result<Written> start(const RunId& id) { return record(run::Started{id, clock.wall_ms()}); }
  Result<Written> end(const RunId& id, int exit_code = 0) { return record(ended(id, exit_code)); }
  Result<Written> cancel(const RunId& id) { return record(run::CancelRequested{id}); }
  Result<Written> remove(const RunId& id) { return record(run::Deleted{id}); }
  Result<Written> set_lane(const std::string& lane, std::int64_t limit) {
    return write(LaneSet{lane, limit});
  }

  run::Ended ended(const RunId& id, int exit_code) const {
    run::Ended fact;
    fact.id = id;
    fact.ending = run::Exited{exit_code};
    fact.started_at = clock.wall_ms();
    fact.finished_at = clock.wall_ms();
    return fact;
  }

  // From submission, with a free slot, to the finish.
  run::Record whole_life(run::Record r, int exit_code = 0) {
    const RunId id = submit(std::move(r)).id;
    must(start(id));
    return must(end(id, exit_code)).record;
  }

  run::Record found(const RunId& id) {
    auto record = must(store->find(id));
    if (!record) throw std::runtime_error("no record of " + id.str());
    return *record;
  }
  std::vector<RunId> listed(const Query& query) {
    std::vector<RunId> list;
    for (const run::Record& r : must(store->list(query))) list.push_back(r.id);
    return list;
  }
  Lane lane(const std::string& name) {
    for (const Lane& lane : must(store->lanes())) {
      if (lane.name == name) return lane;
    }
    return {name, -1, -1, -1};
  }
  std::vector<run::Event> history(const RunId& id) {
    return must(store->events({.after = 0, .run = id, .scope = "", .limit = 1000}));
  }
  std::vector<std::string> types(const RunId& id) {
    std::vector<std::string> list;
    for (const run::Event& event : history(id)) list.push_back(event.type);
    return list;
  }

  // One step of compaction; without `before`: of everything up to now.
  Compacted compact(Compaction wish) {
    if (wish.before == 0) wish.before = clock.wall_ms() + 1;
    return must(write(wish)).compacted;
  }
  // The newest event is never removed: one more, so that it is none of those that matter.
  void add_newer_event() { must(set_lane("newer", ++newer_)); }

  testing::ManualClock clock;
  IdMaker ids{clock};
  std::shared_ptr<Store> store;

 private:
  int newer_ = 0;
};

using Types = std::vector<std::string>;
using Ids = std::vector<RunId>;

}  // namespace drover::store
