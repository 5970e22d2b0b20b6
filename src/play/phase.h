// The phase of a play is its session (play/play_session.h) as text. This file has the rule by which
// the phase changes, which the play kind passes to the core (run/kind.h), and the changes that the
// rule understands. Pure.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "play/play_session.h"
#include "run/fact.h"
#include "run/kind.h"

namespace drover::play {

// A happening (play/life.h) and its details. `rest` is used if the session is at rest afterwards.
struct PlayChange {
  Happening happening = Happening::prepared;
  std::optional<Stage> stage = {};  // The stage that failed, even if it never started.
  std::string code = {};
  std::string message = {};
  run::Rest rest = {};
};

// The facts to record. The session changes as `change` says.
run::PhaseChanged changed(const RunId& play, const PlayChange& change);
// The play has submitted the run of its next stage.
run::PhaseChanged advanced(const RunId& play, Stage stage, const RunId& child);
// The stored session is not readable, so the play's progress is unknown. Record this once every run
// that the play started has finished.
run::PhaseChanged lost(const RunId& play);

// The types of the play's events.
inline constexpr std::string_view kStepEvent = "play.step";
inline constexpr std::string_view kChangedEvent = "play.changed";

// The change that brings a submitted play into its first phase.
inline constexpr std::string_view kFirstChange = R"({"happening":"played"})";

Result<std::optional<run::PhaseStep>> phase_rule(const run::Record& before,
                                                 std::string_view change);

// The run of the play's current stage, from the play's record. A play has no process of its own: a
// signal to it goes to its runtime. A step gets signals only by its own id (`no_runtime`).
std::string current_child(const run::Record& play);
Result<RunId> signal_target(const run::Record& play);

}  // namespace drover::play
