// A plan is what a run waits for and what follows its finish, as stored in the column `plan`: JSON,
// or empty for the many runs without one. docs/schema.md describes its fields.
#pragma once

#include <string>
#include <string_view>

#include "run/record.h"

namespace drover::store::sqlite {

std::string plan_text(const run::Record& record);
// False if Drover does not write such text.
bool read_plan(std::string_view text, run::Record& record);

}  // namespace drover::store::sqlite
