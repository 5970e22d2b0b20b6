// Verification reads everything Drover has written down and checks that it holds together: an fsck
// for runs. It asks the database and the directories its own questions. It shares their formats
// with the daemon, and the small readers of base, process and store; it shares none of the daemon's
// judgement: not run::apply, not recovery, not the store's own questions.
//
// It changes nothing and may run beside a living daemon. The database is asked about one moment;
// what looks wrong in the world is looked at again, or given a few seconds, before it is said.
//
// A broken promise is a problem in the report. An error means that it could not look: there is no
// database (`no_database`), or it cannot be read (`database_corrupt`).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/home.h"
#include "base/result.h"
#include "doctor/question.h"

namespace drover::doctor {

struct Check {
  std::string promise;  // "every acknowledged id resolves"
  std::int64_t looked_at = 0;
  std::vector<std::string> problems = {};  // At most kProblemsMax; the rest is counted.
  std::int64_t problem_count = 0;
};

struct Report {
  std::vector<Check> checks;
  bool clean() const;
};

inline constexpr size_t kProblemsMax = 20;

// `of_rooms` is asked besides.
Result<Report> verify(const Home& home, std::span<const QuestionSet> of_rooms);

std::string as_text(const Report& report);
std::string as_json(const Report& report);

}  // namespace drover::doctor
