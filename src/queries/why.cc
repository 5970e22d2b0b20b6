#include "queries/why.h"

#include "store/dependencies.h"
#include "store/stored_run.h"

namespace drover::queries {
namespace {

constexpr size_t kHoldersShown = 8;

Result<store::Lane> lane_named(store::Reads& store, const std::string& name) {
  auto lanes = store.lanes();
  if (!lanes) return std::unexpected(lanes.error());
  for (store::Lane& lane : *lanes) {
    if (lane.name == name) return std::move(lane);
  }
  return store::Lane{};
}

Result<std::vector<RunId>> slot_holders(store::Reads& store, const access::Grant& grant,
                                        const std::string& lane) {
  std::vector<RunId> out;
  for (const run::State state : {run::State::running, run::State::starting}) {
    const auto holders =
        store.list({.state = state, .lane = lane, .oldest_first = true, .limit = kHoldersShown});
    if (!holders) return std::unexpected(holders.error());
    for (const run::Record& holder : *holders) {
      if (!access::reaches(grant, {holder.id, holder.scope})) continue;
      if (out.size() < kHoldersShown) out.push_back(holder.id);
    }
  }
  return out;
}

}  // namespace

Result<QueueContext> read_queue_context(store::Reads& store, const access::Grant& grant,
                                        const run::Record& record) {
  QueueContext context;
  context.hides_others = !grant.is_owner && !grant.scope.empty();
  auto lane = lane_named(store, record.lane);
  if (!lane) return std::unexpected(lane.error());
  context.lane = std::move(*lane);
  auto holders = slot_holders(store, grant, record.lane);
  if (!holders) return std::unexpected(holders.error());
  context.slot_holders = std::move(*holders);
  auto dependencies = store::dependencies_of(
      record, [&](const RunId& id) { return store::dependency_status(store, id); });
  if (!dependencies) return std::unexpected(dependencies.error());
  context.dependencies = std::move(*dependencies);
  return context;
}

WhyQueued why_queued(QueueContext context, dispatch::Dispatcher& dispatcher, const Clock& clock,
                     const run::Record& record) {
  context.ahead = dispatcher.lanes().ahead_of(record);
  context.now = clock.wall_ms();
  return {.ahead = context.hides_others ? std::nullopt : context.ahead,
          .obstacles = obstacles(record, context)};
}

}  // namespace drover::queries
