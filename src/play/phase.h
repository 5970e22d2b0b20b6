// The phase of a play is its session (play/play_session.h), as text. This is the rule by which it
// changes, given to the foundations with the kind (run/kind.h), and the changes that the rule
// understands. Pure.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "play/play_session.h"
#include "run/fact.h"
#include "run/kind.h"

namespace drover::play {

// Something happened to a session (play/life.h). `rest` counts if it is at rest after that.
struct PlayChange {
  Happening happening = Happening::prepared;
  std::optional<Stage> stage = {};  // What it failed at, although nothing of it was begun.
  std::string code = {};
  std::string message = {};
  run::Rest rest = {};
};

// The facts to be recorded.
run::PhaseChanged changed(const RunId& play, const PlayChange& change);
// The play has asked for the run that is its next stage.
run::PhaseChanged advanced(const RunId& play, Stage stage, const RunId& child);
// What is kept of the session is nothing that Drover writes: how far it had come is not known. To
// be recorded when nothing that the play started is left.
run::PhaseChanged lost(const RunId& play);

// The types of its events.
inline constexpr std::string_view kStepEvent = "play.step";
inline constexpr std::string_view kChangedEvent = "play.changed";

// By which a submitted play comes into its first phase.
inline constexpr std::string_view kFirstChange = R"({"happening":"played"})";

Result<std::optional<run::PhaseStep>> phase_rule(const run::Record& before,
                                                 std::string_view change);

// Read from the record of a play. Nothing of a play is spawned: whoever signals it means its
// runtime; its steps are only meant when they are named (`no_runtime`).
std::string current_child(const run::Record& play);
Result<RunId> signal_target(const run::Record& play);

}  // namespace drover::play
