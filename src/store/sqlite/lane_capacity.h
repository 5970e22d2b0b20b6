// LaneCapacity says how many slots each lane has left, within one transaction: limits from `lanes`,
// taken slots counted from the runs' states. It is derived where it is used and forgotten with the
// transaction, so there is no counter that could leak. Lives on the writer's thread.
#pragma once

#include <map>
#include <string>

#include "run/fact.h"
#include "run/transition.h"
#include "store/sqlite/database.h"

namespace drover::store::sqlite {

struct Capacity {
  bool exists = false;  // A lane comes into being with its first run.
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

  // What `moment` must know of the lane that the fact is about. A claim needs a free slot; a
  // submission, and a run whose waiting may be over, also that nobody waits before it. All other
  // facts ask for none.
  Result<> look(const run::Fact& fact, const run::Record* before, run::JudgementContext& moment);
  Result<Capacity> of(std::string_view lane);

  // Only after its writes have succeeded: a fact that was undone has never counted.
  void count(const run::Record* before, const run::Change& change);

 private:
  Result<Capacity*> find(std::string_view lane);
  Result<bool> others_wait(std::string_view lane);

  Statement limit_, slots_, waiting_;
  std::map<std::string, Capacity, std::less<>> known_;
};

}  // namespace drover::store::sqlite
