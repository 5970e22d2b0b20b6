// The script of a play (conduct/script.h) takes a project from its first step to the end of its
// runtime (P1–P9). It submits runs and reads how they finish.
//
// A play is a run of kind `play`, with no keeper. Its steps, its manifest and its runtime are runs
// of their own, each submitted under the name of its stage.
#pragma once

#include "base/home.h"
#include "conduct/script.h"

namespace drover::play {

// `programs` is the directory that holds droverd.
conduct::Script script(Home home, std::string programs);

}  // namespace drover::play
