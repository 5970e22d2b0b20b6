// The lane book is the table of lanes as it is written: limits, pauses, lanes that go. How many
// runs a lane has is not in it; lane_capacity.h counts them. Lives on the writer's thread.
#pragma once

#include "store/sqlite/database.h"
#include "store/store.h"

namespace drover::store::sqlite {

class LaneBook {
 public:
  Result<> prepare(Database& database);

  // A lane that came into being with a run.
  Result<> add(const std::string& lane, std::int64_t limit);
  // What the log is to tell; nothing: it was so already. The inner result is the answer to whoever
  // asked; the outer one, that the disk gave way.
  using Told = Result<std::optional<Notice>>;
  Result<Told> set(const LaneSet& wish, WallMs now);
  Result<Told> remove(const LaneRemoved& wish, const run::Kinds& kinds);

 private:
  Result<std::optional<Lane>> find(const std::string& name);

  Statement find_, put_, remove_, busy_;
};

}  // namespace drover::store::sqlite
