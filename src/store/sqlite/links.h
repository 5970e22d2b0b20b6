// Links are what ties a run to others and to its place: what it waits for, whose attempt it is,
// where it stands. Most runs have none, and for them nothing here is asked or written. Lives on
// the writer's thread.
#pragma once

#include <vector>

#include "run/transition.h"
#include "store/dependencies.h"
#include "store/sqlite/database.h"

namespace drover::store::sqlite {

class Links {
 public:
  Result<> prepare(Database& database);

  // How what the fact's run waits for stands; empty for facts that do not depend on it.
  Result<std::vector<run::Dependency>> dependencies(const run::Fact& fact,
                                                    const run::Record* before);
  // Whether the change is one of place or of links, which the common update leaves alone.
  static bool changes_in(const run::Fact& fact, const run::Change& change);
  Result<> update(const run::Record& record);

 private:
  Result<Standing> look(const RunId& id);

  Statement standing_, terminal_, update_;
};

}  // namespace drover::store::sqlite
