// What the end of a child run means for the play session it belongs to. Pure: record in, session
// change out.
#pragma once

#include "play/phase.h"

namespace drover::play {

// A step of the preparation that did not end well. Nothing: it did, and the next may begin.
std::optional<PlayChange> failure_of(Stage stage, const run::Record& child);

// The validation ended well, and yet said that what it saw must not be packed.
PlayChange blocked(const std::string& message);

// Something that is no run's end kept the play from going on: the code is the error's reason.
PlayChange kept_from(Happening happening, Stage stage, const Error& error);

// Stop was pressed before the runtime was asked for.
PlayChange stopped_before_runtime();

// The runtime has ended: by Stop, by itself, or otherwise than it should (P8).
PlayChange end_of_runtime(const run::Record& runtime);

}  // namespace drover::play
