// The words for the states of a play session, and for the kinds of runs, as the database holds
// them. The verifier's questions spell them out, so that they can be read and asked by hand; should
// session::State ever change, they must too.
#pragma once

#include <algorithm>

#include "run/kind.h"
#include "session/life.h"

namespace drover::doctor {

constexpr bool is_one_of_the_words(session::State state) {
  const std::string_view word = session::name(state);
  if (state == session::State::idle) return true;  // Of what was never played, nothing is kept.
  if (session::is_at_rest(state)) {
    return word == "prepare_failed" || word == "runtime_failed" || word == "stopped";
  }
  return word == "preparing" || word == "connecting" || word == "running";
}
static_assert(std::ranges::all_of(session::kStates, is_one_of_the_words));
static_assert(session::kStates.size() == 7);
static_assert(run::kPlay == "play" && run::kStep == "step" && run::kRuntime == "runtime");

}  // namespace drover::doctor
