// The numbers of the run states in the database. The verifier's checks contain them literally,
// so that a person can read them and run them by hand. If run::State changes, these assertions
// fail, and the checks must change too.
#pragma once

#include <algorithm>

#include "run/life.h"

namespace drover::doctor {

constexpr bool is_number_of(int number, run::State state) {
  return number == static_cast<int>(state);
}
static_assert(is_number_of(0, run::State::queued));
static_assert(is_number_of(1, run::State::starting));
static_assert(is_number_of(2, run::State::running));
static_assert(is_number_of(3, run::State::completed));
static_assert(is_number_of(4, run::State::failed));
static_assert(is_number_of(5, run::State::canceled));
static_assert(is_number_of(6, run::State::timed_out));
static_assert(is_number_of(7, run::State::abandoned));
static_assert(run::kStates.size() == 8);
// "state < 3" selects active runs, "state >= 3" finished ones.
static_assert(std::ranges::all_of(run::kStates, [](run::State state) {
  return run::is_finished(state) == (static_cast<int>(state) >= 3);
}));

}  // namespace drover::doctor
