// A KnownProject is a directory that can be played, with the id from its drover.toml. Everything
// else about the project is read from that directory when it is needed.
//
// Known projects are stored in a table of this room (docs/schema.md) and change by a Work
// (store/transaction.h). Each change writes an event: project.added, project.removed.
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

// Sorted by id.
Result<std::vector<KnownProject>> known_projects(store::Reads& store);
// `not_found`: there is no project of this id.
Result<KnownProject> known_project(store::Reads& store, const std::string& id);

// Adding the same project again changes nothing. Refused: `project_elsewhere` if the id belongs to
// another directory, or the directory to another id.
store::Work add_project(KnownProject project);
// Refused: `not_found`; `project_busy` while it is being played.
store::Work remove_project(std::string id);
// Fails with `not_found` unless the project exists. The transaction that records a play calls this,
// so a play cannot race with a removal.
Result<> check_project(store::Transaction& transaction, const std::string& id);

std::unexpected<Error> no_such_project(std::string_view id);

extern const store::RoomSchema kTables;

}  // namespace drover::play
