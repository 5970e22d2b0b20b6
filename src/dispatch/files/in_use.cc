#include "dispatch/files/in_use.h"

namespace drover::dispatch {
namespace {

constexpr int kDepthMax = 32;  // Scopes end earlier; a damaged record must not loop.

}  // namespace

bool InUse::has(const run::Record& record) {
  return bell_.has_subscriber(record.id) || dispatcher_.is_needed(record.id) ||
         keeps_parts(record.parent_run_id, 0);
}

bool InUse::keeps_parts(const std::string& id, int depth) {
  const auto parsed = RunId::parse(id);
  if (!parsed || depth == kDepthMax) return false;
  if (const auto known = parents_.find(id); known != parents_.end()) return known->second;
  const auto found = store_.find(*parsed);
  // If it cannot be read now, a later round decides.
  bool keeps = !found;
  if (found && *found) {
    const run::Record& parent = **found;
    const bool used = run::is_active(parent.state) || bell_.has_subscriber(parent.id);
    keeps = (used && dispatcher_.is_composite(parent.kind)) ||
            keeps_parts(parent.parent_run_id, depth + 1);
  }
  parents_[id] = keeps;
  return keeps;
}

}  // namespace drover::dispatch
