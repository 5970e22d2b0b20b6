// How the runs stand that another one waits for: the same rule for every store, which only has to
// say what it knows of one. A run that is tried again stands as its last attempt does.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "run/waiting.h"

namespace drover::store {

// What a store knows of one run.
struct DependencyStatus {
  bool known = false;
  run::State state = run::State::queued;
  std::string retried_by = {};
};

DependencyStatus dependency_status(const run::Record& record);

// `look` is asked for the Standing of a RunId, as a Result.
template <class Look>
Result<std::vector<run::Dependency>> dependencies_of(const run::Record& record, Look&& look) {
  std::vector<run::Dependency> all;
  all.reserve(record.after.size() + record.after_any.size());
  const auto add = [&](const RunId& asked, bool must_complete) -> Result<> {
    run::Dependency& found = all.emplace_back(asked, must_complete);
    for (RunId id = asked;;) {
      const Result<DependencyStatus> standing = look(id);
      if (!standing) return std::unexpected(standing.error());
      if (!standing->known) return {};
      found.known = true;
      if (!run::is_finished(standing->state)) return {};
      const auto next = RunId::parse(standing->retried_by);
      if (!next) {
        found.end = standing->state;
        if (id != asked) found.missed = id.str();
        return {};
      }
      id = *next;
    }
  };
  for (const RunId& id : record.after) {
    if (auto ok = add(id, true); !ok) return std::unexpected(ok.error());
  }
  for (const RunId& id : record.after_any) {
    if (auto ok = add(id, false); !ok) return std::unexpected(ok.error());
  }
  return all;
}

}  // namespace drover::store
