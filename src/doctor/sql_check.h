// An SqlCheck tests one promise with SQL alone: one statement counts the things that the promise is
// about, the other returns a row for each broken one. Its result is a Check (verify.h). Rooms add
// checks of their own.
//
// The checks are written for the newest schema. In a database that no daemon has upgraded yet, two
// columns have older names (`subject` of the spine was `run_id`, `phase` of a run `session`); the
// checks are rewritten to those names.
#pragma once

#include <span>
#include <string_view>

namespace drover::doctor {

struct SqlCheck {
  std::string_view promise;
  std::string_view count;
  std::string_view broken;  // One column of text: the problem.
};

// Run only if `known` returns something other than 0: an older database may not have these
// tables.
struct SqlCheckSet {
  std::string_view known;
  std::span<const SqlCheck> checks;
};

}  // namespace drover::doctor
