// Verification reads everything that Drover has stored and checks that it is consistent: an fsck
// for runs. It reads the database and the directories with queries of its own. With the daemon it
// shares the formats, and the small readers of base, process and store; it does not share the
// daemon's logic: not run::apply, not recovery, not the store's own queries.
//
// It changes nothing and may run beside a running daemon. The database is read in one transaction.
// A problem outside of the database is checked again, or given a few seconds, before it is
// reported.
//
// A broken promise is a problem in the report. An error means that verification was impossible: the
// database does not exist (`no_database`) or is unreadable (`database_corrupt`).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/home.h"
#include "base/result.h"
#include "doctor/sql_check.h"

namespace drover::doctor {

struct Check {
  std::string promise;  // "every acknowledged id resolves"
  std::int64_t looked_at = 0;
  std::vector<std::string> problems = {};  // At most kProblemsMax; the rest is only counted.
  std::int64_t problem_count = 0;
};

struct Report {
  std::vector<Check> checks;
  bool clean() const;
};

inline constexpr size_t kProblemsMax = 20;

// `room_checks` are the checks of the rooms.
Result<Report> verify(const Home& home, std::span<const SqlCheckSet> room_checks);

std::string as_text(const Report& report);
std::string as_json(const Report& report);

}  // namespace drover::doctor
