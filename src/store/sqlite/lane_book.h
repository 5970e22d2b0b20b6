// The lane book writes the table of lanes: limits, pauses, removals. The number of runs in a lane
// is not stored in it; lane_capacity.h counts them. Lives on the writer's thread.
#pragma once

#include "store/sqlite/database.h"
#include "store/store.h"

namespace drover::store::sqlite {

class LaneBook {
 public:
  Result<> prepare(Database& database);

  // A lane that was created by its first run.
  Result<> add(const std::string& lane, std::int64_t limit);
  // The event to append; nothing: the lane was already so. The inner result is the answer to the
  // caller; the outer one is an error of the database.
  using SubjectEventResult = Result<std::optional<SubjectEvent>>;
  Result<SubjectEventResult> set(const LaneSet& wish, WallMs now);
  Result<SubjectEventResult> remove(const LaneRemoved& wish, const run::Kinds& kinds);

 private:
  Result<std::optional<Lane>> find(const std::string& name);

  Statement find_, put_, remove_, busy_;
};

}  // namespace drover::store::sqlite
