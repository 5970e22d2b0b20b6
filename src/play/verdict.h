// A verdict is the change of a play session that follows from the end of a child run. Pure: maps a
// record to a session change.
#pragma once

#include "play/phase.h"

namespace drover::play {

// The failure of a preparation step. Empty: the step succeeded, and the next one may start.
std::optional<PlayChange> failure_of(Stage stage, const run::Record& child);

// The validation succeeded by its exit code, but a line of its output blocks the pack.
PlayChange blocked(const std::string& message);

// The preparation has finished. The message says if nothing checked the pack, because the project
// has no validation (P1).
inline constexpr std::string_view kNotValidated =
    "the project has no validate step, so the pack was not checked; add validate to [play] in "
    "drover.toml";
PlayChange prepared(bool was_validated);

// An error other than a run's end stopped the play: the session's code is the error's reason.
PlayChange failed_by(Happening happening, Stage stage, const Error& error);

// Stop came before the runtime was submitted.
PlayChange stopped_before_runtime();

// The runtime has finished: by Stop, by itself, or by a failure (P8).
PlayChange end_of_runtime(const run::Record& runtime);

}  // namespace drover::play
