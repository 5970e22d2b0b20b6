// World checks compare the database with the machine: directories and processes.
#pragma once

#include <vector>

#include "doctor/verify.h"
#include "store/sqlite/database.h"

namespace drover::doctor {

Result<std::vector<Check>> check_world(store::sqlite::Database& database, const Home& home);

}  // namespace drover::doctor
