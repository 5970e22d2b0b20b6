// Finds the state of the runs that another run waits for: the same rule for every store. The store
// only has to look up single runs. If a run was retried, its last attempt counts.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "run/waiting.h"

namespace drover::store {

// The state of one run, as a store knows it.
struct DependencyStatus {
  bool known = false;
  run::State state = run::State::queued;
  std::string retried_by = {};
};

DependencyStatus dependency_status(const run::Record& record);

// `look` returns the DependencyStatus of a RunId, as a Result.
template <class Look>
Result<std::vector<run::Dependency>> dependencies_of(const run::Record& record, Look&& look) {
  std::vector<run::Dependency> all;
  all.reserve(record.after.size() + record.after_any.size());
  const auto add = [&](const RunId& asked, bool must_complete) -> Result<> {
    run::Dependency& found = all.emplace_back(asked, must_complete);
    for (RunId id = asked;;) {
      const Result<DependencyStatus> status = look(id);
      if (!status) return std::unexpected(status.error());
      if (!status->known) return {};
      found.known = true;
      if (!run::is_finished(status->state)) return {};
      const auto next = RunId::parse(status->retried_by);
      if (!next) {
        found.end = status->state;
        if (id != asked) found.last_attempt = id.str();
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
