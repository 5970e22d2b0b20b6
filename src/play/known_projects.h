// The projects that Drover knows: directories that somebody wants to play, each with the id that
// its drover.toml gives it. What else there is to know of one stands in that directory, and is read
// when it is needed.
//
// They stand in a table of this room (docs/schema.md), and change by a Work (store/transaction.h);
// the log tells of each change: project.added, project.removed.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/result.h"
#include "store/store.h"
#include "store/transaction.h"

namespace drover::play {

struct KnownProject {
  std::string id;
  std::string root;
  WallMs added_at = 0;

  friend bool operator==(const KnownProject&, const KnownProject&) = default;
};

// By their ids.
Result<std::vector<KnownProject>> known_projects(store::Store& store);
// `not_found`: there is none of this id.
Result<KnownProject> known_project(store::Store& store, const std::string& id);

// The same again changes nothing. Refused: `project_elsewhere` if another directory has the id, or
// another id the directory.
store::Work add_project(KnownProject project);
// Refused: `not_found`; `project_busy` while a play of it is under way.
store::Work remove_project(std::string id);
// Refused, `not_found`, unless there is such a project. Whoever plays it asks in the transaction
// that records the play: so a play and a removal cannot cross.
Result<> check_project(store::Transaction& transaction, const std::string& id);

std::unexpected<Error> no_such_project(std::string_view id);

extern const store::RoomSchema kTables;

}  // namespace drover::play
