// What the end of a child run means for the play session it belongs to. Pure: record in, fact out.
#pragma once

#include "run/fact.h"

namespace drover::stage {

// A step of the preparation that did not end well. Nothing: it did, and the next may begin.
std::optional<run::SessionChanged> failure_of(session::Stage stage, const run::Record& child);

// The validation ended well, and yet said that what it saw must not be packed.
run::SessionChanged blocked(const std::string& message);

// Something that is no run's end kept the play from going on: the code is the error's reason.
run::SessionChanged kept_from(session::Happening happening, session::Stage stage,
                              const Error& error);

// The runtime has ended: by Stop, by itself, or otherwise than it should (P8).
run::SessionChanged end_of_runtime(const run::Record& runtime);

}  // namespace drover::stage
