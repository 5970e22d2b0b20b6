// A Project is a folder that somebody wants to play: its id, as its drover.toml says it, and where
// it stands. What else there is to know of it stands in that folder, and is read when it is needed.
#pragma once

#include <string>

#include "base/clock.h"

namespace drover::store {

struct Project {
  std::string id;
  std::string root;
  WallMs added_at = 0;

  friend bool operator==(const Project&, const Project&) = default;
};

// The same again changes nothing. Refused: `project_elsewhere` if another folder has the id, or
// another id the folder.
struct ProjectAdded {
  Project project;
};
// Refused: `not_found`; `project_busy` while a play of it is under way.
struct ProjectRemoved {
  std::string id;
};

}  // namespace drover::store
