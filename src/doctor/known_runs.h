// Looks up runs in the database for the checks of files and processes, without the store's queries.
#pragma once

#include <optional>

#include "base/home.h"
#include "base/id.h"
#include "base/result.h"
#include "run/life.h"
#include "store/sqlite/database.h"

namespace drover::doctor {

// Nothing: there is no record of it.
Result<std::optional<run::State>> state_of(store::sqlite::Database& database, const RunId& id);

// Whether the run, deleted or not, is one of this home.
Result<bool> is_known(store::sqlite::Database& database, const Home& home, const RunId& id);

}  // namespace drover::doctor
