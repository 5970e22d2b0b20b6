// Spine checks are the verifier's checks that need only the database.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "doctor/verify.h"
#include "store/sqlite/database.h"

namespace drover::doctor {

// Rewrites a question from the names of the newest schema to the names of this database
// (question.h).
Result<std::string> in_schema_names(store::sqlite::Database& database, std::string_view sql);

Result<std::vector<Check>> check_spine(store::sqlite::Database& database,
                                       std::span<const QuestionSet> room_questions);

}  // namespace drover::doctor
