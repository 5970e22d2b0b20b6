// The end of a run about which nothing more will ever be known (fact.h: KnownEnd). Pure.
#pragma once

#include <string>

#include "run/fact.h"

namespace drover::run {

// `state` is a finished state; `message` says what is not known, and why.
KnownEnd end_with(State state, Reason reason, std::string message, WallMs finished_at);

}  // namespace drover::run
