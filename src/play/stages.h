// The spec of each stage of a play (P1–P5). It is read from drover.toml when the stage is
// submitted, so an edit of that file affects the stages that have not started yet.
#pragma once

#include <optional>
#include <string>

#include "base/result.h"
#include "play/play_session.h"
#include "run/spec.h"

namespace drover::play {

struct ProjectPlace {
  std::string id;        // Its id when the play began; drover.toml must still have it.
  std::string root;      // The project's directory.
  std::string programs;  // The directory that holds droverd, which writes the manifest.
};

// The spec of a stage's run. Empty: the project has no such step. The runtime's setup is checked
// here, right before the spawn (P5); the manifest is not read (P4).
Result<std::optional<run::Spec>> spec_of(Stage stage, const ProjectPlace& project);

}  // namespace drover::play
