// The checks that the database alone can answer.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "doctor/verify.h"
#include "store/sqlite/database.h"

namespace drover::doctor {

// A question in the names of the newest schema, in those that this database has (question.h).
Result<std::string> in_its_names(store::sqlite::Database& database, std::string_view sql);

Result<std::vector<Check>> check_spine(store::sqlite::Database& database,
                                       std::span<const QuestionSet> of_rooms);

}  // namespace drover::doctor
