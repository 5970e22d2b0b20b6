// Verification reads everything Drover has written down and checks that it holds together: an fsck
// for runs. It is an independent reader: it asks the database and the folders itself, and shares
// no code with the daemon that wrote them beyond their formats.
//
// It may run beside a living daemon: whatever looks wrong is looked at again before it is said.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/home.h"
#include "base/result.h"

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

Result<Report> verify(const Home& home);

std::string as_text(const Report& report);
std::string as_json(const Report& report);

}  // namespace drover::doctor
