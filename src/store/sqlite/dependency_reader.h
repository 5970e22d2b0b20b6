// DependencyReader reads the state of the runs that another run waits for. Most runs wait for none;
// for them nothing is queried. Lives on the writer's thread.
#pragma once

#include <vector>

#include "run/transition.h"
#include "store/dependencies.h"
#include "store/sqlite/database.h"

namespace drover::store::sqlite {

class DependencyReader {
 public:
  Result<> prepare(Database& database);

  // The dependencies of the fact's run; empty for facts that do not depend on them.
  Result<std::vector<run::Dependency>> dependencies(const run::Fact& fact,
                                                    const run::Record* before);

 private:
  Result<DependencyStatus> look(const RunId& id);

  Statement stored_, final_event_, evidence_;
};

}  // namespace drover::store::sqlite
