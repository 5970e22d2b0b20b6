#include "triggers/declared/sync_store.h"

#include "play/known_projects.h"

namespace drover::triggers {

Result<std::vector<std::string>> project_roots(store::Reads& store) {
  auto projects = play::known_projects(store);
  if (!projects) return std::unexpected(projects.error());
  std::vector<std::string> out;
  for (play::KnownProject& project : *projects) out.push_back(std::move(project.root));
  return out;
}

Result<StoredByName> stored_for(store::Reads& store, const std::vector<DeclaredFile>& files) {
  StoredByName out;
  auto declared = declared_triggers(store);
  if (!declared) return std::unexpected(declared.error());
  for (StoredTrigger& trigger : *declared) {
    std::string name = trigger.name;
    out[std::move(name)].trigger = std::move(trigger);
  }
  for (const DeclaredFile& file : files) {
    for (const Declaration& one : file.triggers) {
      if (out.contains(one.name)) continue;
      auto found = find_trigger(store, one.name);
      if (!found && found.error().code == ErrorCode::not_found) continue;
      if (!found) return std::unexpected(found.error());
      out[one.name].trigger = std::move(*found);
    }
  }
  return out;
}

store::Work work_of(const FileSync& sync, const DecidedEvents& decided) {
  return [sync, decided](store::Transaction& t) -> Result<> {
    // Removed first: two triggers may exchange what is unique, such as the path of a webhook.
    for (const StoredTrigger& one : sync.removed) {
      const auto now = find_trigger(t, one.name);
      if (!now) return std::unexpected(now.error());
      if (now->revision != one.revision) {
        return fail(ErrorCode::conflict, "trigger_changed", "the trigger changed at the same time",
                    "trigger");
      }
      if (auto ok = write_removed(t, one); !ok) return ok;
    }
    for (const TriggerChange& one : sync.changed) {
      if (auto ok = write_changed(t, one, "trigger.changed"); !ok) return ok;
    }
    for (const StoredTrigger& one : sync.added) {
      if (auto ok = write_added(t, one); !ok) return ok;
    }
    return keep_decisions(t, decided);
  };
}

}  // namespace drover::triggers
