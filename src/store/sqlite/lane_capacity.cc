#include "store/sqlite/lane_capacity.h"

#include "base/limits.h"
#include "store/sqlite/fixed_sql.h"

namespace drover::store::sqlite {

Result<> LaneCapacity::prepare(Database& database, const run::Kinds& kinds) {
  std::string known;
  for (const std::string& kind : kinds.names()) known += (known.empty() ? "'" : ", '") + kind + "'";
  for (auto [statement, sql] : {std::pair(&limit_, std::string(fixed_sql::kLaneLimit)),
                                std::pair(&slots_, std::string(fixed_sql::kSlots)),
                                std::pair(&waiting_, fixed_sql::waiting(known))}) {
    auto prepared = database.prepare(sql);
    if (!prepared) return std::unexpected(prepared.error());
    *statement = std::move(*prepared);
  }
  return {};
}

Result<> LaneCapacity::look(const run::Fact& fact, const run::Record* before,
                            run::JudgementContext& context) {
  const std::string_view lane = run::lane_of_interest(context.kinds, fact, before);
  if (lane.empty()) return {};
  auto capacity = of(lane);
  if (!capacity) return std::unexpected(capacity.error());
  context.lane_paused = capacity->paused_at != 0;
  context.lane_draining = capacity->draining_at != 0;
  context.lane_has_free_slot = !context.lane_paused && capacity->active < capacity->limit;
  if (!context.lane_has_free_slot || std::holds_alternative<run::Claimed>(fact)) return {};
  auto others = others_wait(lane);
  if (!others) return std::unexpected(others.error());
  context.lane_has_free_slot = !*others;
  return {};
}

Result<bool> LaneCapacity::others_wait(std::string_view lane) {
  bool waiting = false;
  auto asked = waiting_.each([&](const Row&) { waiting = true; }, lane);
  if (!asked) return std::unexpected(asked.error());
  return waiting;
}

Result<Capacity> LaneCapacity::of(std::string_view lane) {
  auto capacity = find(lane);
  if (!capacity) return std::unexpected(capacity.error());
  return **capacity;
}

Result<Capacity*> LaneCapacity::find(std::string_view lane) {
  if (const auto known = known_.find(lane); known != known_.end()) return &known->second;
  Capacity capacity{.limit = limits::kNewLaneLimit};
  auto limit = limit_.each(
      [&](const Row& row) {
        capacity.exists = true;
        capacity.limit = row.integer(0);
        capacity.paused_at = row.integer(1);
        capacity.draining_at = row.integer(2);
      },
      lane);
  if (!limit) return std::unexpected(limit.error());
  auto active = slots_.each([&](const Row& row) { capacity.active = row.integer(0); }, lane);
  if (!active) return std::unexpected(active.error());
  return &(known_[std::string(lane)] = capacity);
}

void LaneCapacity::count(const run::Record* before, const run::Change& change) {
  const auto capacity = known_.find(change.after.lane);
  if (capacity == known_.end()) return;
  const bool had_slot = before != nullptr && run::holds_slot(before->state);
  const bool has_slot =
      change.effect == run::Effect::changed && run::holds_slot(change.after.state);
  capacity->second.active += int{has_slot} - int{had_slot};
  capacity->second.exists = true;
}

}  // namespace drover::store::sqlite
