// A survivor is a living process of a run that has finished (R7). It is recognized by the marks
// that it inherited (process/marks.h). Recovery kills those that it finds; these functions look for
// the rest, independently of it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/home.h"
#include "base/id.h"
#include "base/journal.h"
#include "base/result.h"
#include "process/marks.h"
#include "store/sqlite/database.h"

namespace drover::doctor {

struct Survivor {
  ProcessRef process;
  std::string name;
  RunId run;
  process::Sign sign;
};

struct Survivors {
  std::vector<Survivor> found;
  std::vector<Survivor> of_active;  // Not survivors: their runs have not finished.
  std::int64_t looked_at = 0;       // Processes of runs, also of active ones.
};

Result<Survivors> find_survivors(store::sqlite::Database& database, const Home& home);

// "process 4711 (sleep) is still alive after run_…: it …; end it with `kill -9 4711`"
std::string describe(const Survivor& survivor);
std::string describe_active(const Survivor& process);

// The survivors of a home and the processes of its active runs, as a JSON object, for `drover
// doctor` and `drover stop --kill`. None without a database.
Result<std::string> survivors_as_json(const Home& home);

}  // namespace drover::doctor
