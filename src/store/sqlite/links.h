// Links find out how the runs stand that another one waits for. Most runs wait for none, and for
// them nothing here is asked. Lives on the writer's thread.
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

 private:
  Result<DependencyStatus> look(const RunId& id);

  Statement standing_, terminal_;
};

}  // namespace drover::store::sqlite
