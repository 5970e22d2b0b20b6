// A SyncPlan says how the stored triggers change so that they agree with the files that declare
// them. Each file is one commit. A broken file changes nothing of what it declared before; a name
// that belongs to another file, or to a trigger that was added by hand, is a problem, and nothing
// is overwritten. Pure: the same files again change nothing.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "base/clock.h"
#include "triggers/declared/declared_file.h"
#include "triggers/definition/trigger_change.h"

namespace drover::triggers {

// A trigger as it is stored, with its variables. A file that cannot be read has none.
struct StoredDeclared {
  StoredTrigger trigger;
  Variables variables = {};
};
using StoredByName = std::map<std::string, StoredDeclared>;

// The commit of one file.
struct FileSync {
  std::string file;
  std::vector<StoredTrigger> added = {};
  std::vector<TriggerChange> changed = {};
  std::vector<StoredTrigger> removed = {};
  std::map<std::string, Variables> variables = {};  // Of those whose variables are new.
};

struct SyncPlan {
  std::vector<FileSync> files = {};    // Only those with changes.
  std::vector<Problem> problems = {};  // Of the files, and of triggers that cannot exist.
};

// `stored` has every declared trigger, and every trigger of a name that a file declares.
SyncPlan plan_sync(const std::vector<DeclaredFile>& files, const StoredByName& stored, WallMs now);

}  // namespace drover::triggers
