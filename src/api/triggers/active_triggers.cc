#include "api/triggers/active_triggers.h"

#include "triggers/definition/stored_trigger.h"

namespace drover::api {

Result<RunningReason> active_triggers(store::Reads& store) {
  const auto active = triggers::count_active(store);
  if (!active) return std::unexpected(active.error());
  return RunningReason{
      .what = "active triggers", .count = active->count, .next_at = active->next_at};
}

}  // namespace drover::api
