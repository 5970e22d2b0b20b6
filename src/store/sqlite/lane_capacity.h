// LaneCapacity knows how many slots each lane has left, within one transaction: limits from
// `lanes`, taken slots counted from the runs' states. It is computed when needed and dropped with
// the transaction, so no counter can drift. Lives on the writer's thread.
#pragma once

#include <map>
#include <string>

#include "run/fact.h"
#include "run/transition.h"
#include "store/sqlite/database.h"

namespace drover::store::sqlite {

struct Capacity {
  bool exists = false;  // A lane is created by its first run.
  std::int64_t limit = 0;
  std::int64_t active = 0;
  WallMs paused_at = 0;
  WallMs draining_at = 0;
};

class LaneCapacity {
 public:
  Result<> prepare(Database& database, const run::Kinds& kinds);

  void forget() { known_.clear(); }
  void forget(const std::string& lane) { known_.erase(lane); }

  // Fills in what `context` needs about the lane of the fact. A claim needs a free slot. A
  // submission, and a run whose wait may be over, also need that no other run waits before it. All
  // other facts need nothing.
  Result<> look(const run::Fact& fact, const run::Record* before, run::JudgementContext& context);
  Result<Capacity> of(std::string_view lane);

  // Call only after the fact's writes have succeeded: a fact that was undone must not count.
  void count(const run::Record* before, const run::Change& change);

 private:
  Result<Capacity*> find(std::string_view lane);
  Result<bool> others_wait(std::string_view lane);

  Statement limit_, slots_, waiting_;
  std::map<std::string, Capacity, std::less<>> known_;
};

}  // namespace drover::store::sqlite
