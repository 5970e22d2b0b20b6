#include "triggers/declared/sync_plan.h"

#include <algorithm>
#include <boost/json/serialize.hpp>
#include <set>
#include <utility>

namespace drover::triggers {
namespace {

namespace json = boost::json;

class Planner {
 public:
  Planner(const std::vector<DeclaredFile>& files, const StoredByName& stored, WallMs now)
      : files_(files), stored_(stored), now_(now) {}

  SyncPlan plan() {
    for (const DeclaredFile& file : files_) {
      plan_.problems.insert(plan_.problems.end(), file.problems.begin(), file.problems.end());
    }
    find_owners();
    for (const DeclaredFile& file : files_) {
      if (!file.problems.empty()) continue;
      for (const Declaration& trigger : file.triggers) settle(file.file.path, trigger);
    }
    remove_others();
    SyncPlan out;
    out.problems = std::move(plan_.problems);
    for (auto& [path, sync] : changes_) out.files.push_back(std::move(sync));
    return out;
  }

 private:
  // Also a file below a directory that cannot be read.
  bool is_broken(const std::string& declared_in) const {
    return std::ranges::any_of(files_, [&](const DeclaredFile& file) {
      return !file.problems.empty() &&
             (declared_in == file.file.path || declared_in.starts_with(file.file.path + "/"));
    });
  }

  const StoredDeclared* stored(const std::string& name) const {
    const auto found = stored_.find(name);
    return found == stored_.end() ? nullptr : &found->second;
  }

  // The file that has a trigger keeps it; otherwise the first file gets it.
  void find_owners() {
    for (const DeclaredFile& file : files_) {
      if (!file.problems.empty()) continue;
      for (const Declaration& trigger : file.triggers) {
        const StoredDeclared* now = stored(trigger.name);
        const bool has_it = now != nullptr && now->trigger.declared_in == file.file.path;
        const Owner owner{.file = file.file.path, .line = trigger.line};
        if (has_it) {
          owners_.insert_or_assign(trigger.name, owner);
        } else {
          owners_.emplace(trigger.name, owner);
        }
      }
    }
  }

  void refuse(const std::string& file, const Declaration& trigger, std::string message) {
    plan_.problems.push_back({.file = file,
                              .line = trigger.line,
                              .column = trigger.column,
                              .message = std::move(message)});
  }

  // The message must not change with the time, or the same problem would be reported again.
  void refuse(const std::string& file, const Declaration& trigger, const Error& error) {
    refuse(file, trigger,
           error.reason == "no_future_time"
               ? "the trigger " + trigger.name +
                     " has no time left; give a later time, or remove it from the file"
               : error.message);
  }

  FileSync& sync_of(const std::string& file) {
    FileSync& out = changes_[file];
    out.file = file;
    return out;
  }

  void settle(const std::string& file, const Declaration& trigger) {
    const StoredDeclared* now = stored(trigger.name);
    if (now != nullptr && now->trigger.declared_in.empty()) {
      return refuse(file, trigger,
                    "the trigger " + trigger.name +
                        " was added by hand; choose another name, or remove that one with `drover "
                        "trigger rm " +
                        trigger.name + "`");
    }
    const Owner& owner = owners_.at(trigger.name);
    if (owner.file != file) {
      return refuse(file, trigger,
                    "the trigger " + trigger.name + " is declared in " + owner.file + ":" +
                        std::to_string(owner.line) + ", too; choose another name");
    }
    if (now == nullptr) return add(file, trigger);
    if (now->trigger.declared_in != file && is_broken(now->trigger.declared_in)) {
      return refuse(file, trigger,
                    "the trigger " + trigger.name + " belongs to " + now->trigger.declared_in +
                        ", which cannot be read now; correct that file first");
    }
    change(file, trigger, *now);
  }

  void add(const std::string& file, const Declaration& trigger) {
    const auto spec = read_spec(trigger.fields, now_);
    if (!spec) return refuse(file, trigger, spec.error());
    auto made = new_trigger(*spec, now_, file);
    if (!made) return refuse(file, trigger, made.error());
    FileSync& sync = sync_of(file);
    sync.added.push_back(std::move(*made));
    // Also if there are none: an earlier trigger of this name may have left a file.
    sync.variables[trigger.name] = trigger.variables;
  }

  void change(const std::string& file, const Declaration& trigger, const StoredDeclared& now) {
    const auto was = read_spec(now.trigger.spec, now.trigger.anchor);
    const json::object before = was ? fields_of(*was) : json::object{};
    const bool is_new_spec = before != trigger.fields;
    const bool is_new_source = !was || before.at("source") != trigger.fields.at("source");
    const bool has_new_variables = now.variables != trigger.variables;
    if (!is_new_spec && !has_new_variables) {
      if (now.trigger.declared_in == file) return;
      TriggerChange moved{.now = now.trigger};
      moved.now.declared_in = file;
      sync_of(file).changed.push_back(std::move(moved));
      return;
    }
    const auto spec = read_spec(trigger.fields, is_new_source ? now_ : now.trigger.anchor);
    if (!spec) return refuse(file, trigger, spec.error());
    auto changed = changed_trigger(now.trigger, was ? &*was : nullptr, *spec, is_new_source, now_);
    if (!changed) return refuse(file, trigger, changed.error());
    changed->now.declared_in = file;
    FileSync& sync = sync_of(file);
    sync.changed.push_back(std::move(*changed));
    if (has_new_variables) sync.variables[trigger.name] = trigger.variables;
  }

  void remove_others() {
    for (const auto& [name, one] : stored_) {
      const std::string& declared_in = one.trigger.declared_in;
      if (declared_in.empty() || owners_.contains(name) || is_broken(declared_in)) continue;
      sync_of(declared_in).removed.push_back(one.trigger);
    }
  }

  struct Owner {
    std::string file;
    size_t line = 0;
  };

  const std::vector<DeclaredFile>& files_;
  const StoredByName& stored_;
  const WallMs now_;
  std::map<std::string, Owner> owners_;
  std::map<std::string, FileSync> changes_;
  SyncPlan plan_;
};

}  // namespace

SyncPlan plan_sync(const std::vector<DeclaredFile>& files, const StoredByName& stored, WallMs now) {
  return Planner(files, stored, now).plan();
}

}  // namespace drover::triggers
