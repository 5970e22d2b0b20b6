// What each stage of a play runs (P1–P5), read from the project when the stage is asked for:
// drover.toml speaks for what is still to come.
#pragma once

#include <optional>
#include <string>

#include "base/result.h"
#include "play/play_session.h"
#include "run/spec.h"

namespace drover::play {

struct ProjectPlace {
  std::string id;        // As it is played; drover.toml must still say so.
  std::string root;      // The project's directory.
  std::string programs;  // The directory that holds droverd, which writes the manifest.
};

// Nothing: the project has no such step. The runtime's setup is checked here, right before the
// spawn (P5); nobody looks at the manifest (P4).
Result<std::optional<run::Spec>> spec_of(Stage stage, const ProjectPlace& project);

}  // namespace drover::play
