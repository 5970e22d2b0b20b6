// A plan is what a run waits for and what follows its end, as the column `plan` holds it: JSON, or
// nothing for the many runs that have none. docs/schema.md has its fields.
#pragma once

#include <string>
#include <string_view>

#include "run/record.h"

namespace drover::store::sqlite {

std::string plan_text(const run::Record& record);
// False if it is nothing that Drover writes.
bool read_plan(std::string_view text, run::Record& record);

}  // namespace drover::store::sqlite
