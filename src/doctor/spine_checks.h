// Spine checks are the verifier's checks that need only the database.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "doctor/verify.h"
#include "store/sqlite/database.h"

namespace drover::doctor {

// Rewrites the SQL of a check from the names of the newest schema to the names of this database
// (sql_check.h).
Result<std::string> in_schema_names(store::sqlite::Database& database, std::string_view sql);

Result<std::vector<Check>> check_spine(store::sqlite::Database& database,
                                       std::span<const SqlCheckSet> room_checks);

}  // namespace drover::doctor
