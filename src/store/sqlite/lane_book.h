// The lane book is the table of lanes as it is written: limits, pauses, lanes that go. How many
// runs a lane has is not in it; rooms.h counts them. Lives on the writer's thread.
#pragma once

#include "store/sqlite/database.h"
#include "store/store.h"

namespace drover::store::sqlite {

class LaneBook {
 public:
  Result<> prepare(Database& database);

  // A lane that came into being with a run.
  Result<> add(const std::string& lane, std::int64_t limit);
  // The inner result is the answer to whoever asked; the outer one, that the disk gave way.
  Result<Result<Written>> set(const LaneSet& wish, WallMs now);
  Result<Result<Written>> remove(const LaneRemoved& wish);

  // Whether what was wished for is there. Asked after a commit whose fate is unknown.
  Result<bool> landed(const LaneSet& wish);
  Result<bool> landed(const LaneRemoved& wish);

 private:
  Result<std::optional<Lane>> find(const std::string& name);

  Statement find_, put_, remove_, busy_;
};

}  // namespace drover::store::sqlite
