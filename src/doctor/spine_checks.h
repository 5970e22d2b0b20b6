// The checks that the database alone can answer.
#pragma once

#include <vector>

#include "doctor/verify.h"
#include "store/sqlite/database.h"

namespace drover::doctor {

Result<std::vector<Check>> check_spine(store::sqlite::Database& database);

}  // namespace drover::doctor
