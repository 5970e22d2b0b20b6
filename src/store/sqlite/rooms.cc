#include "store/sqlite/rooms.h"

#include "base/limits.h"
#include "store/sqlite/questions.h"

namespace drover::store::sqlite {

Result<> Rooms::prepare(Database& database) {
  for (auto [statement, sql] :
       {std::pair(&limit_, questions::kLaneLimit), std::pair(&slots_, questions::kSlots),
        std::pair(&waiting_, questions::kWaiting)}) {
    auto prepared = database.prepare(sql);
    if (!prepared) return std::unexpected(prepared.error());
    *statement = std::move(*prepared);
  }
  return {};
}

Result<> Rooms::look(const run::Fact& fact, const run::Record* before, run::Moment& moment) {
  const std::string* lane = run::lane_of_interest(fact, before);
  if (lane == nullptr) return {};
  auto room = of(*lane);
  if (!room) return std::unexpected(room.error());
  moment.lane_paused = room->paused_at != 0;
  moment.lane_draining = room->draining_at != 0;
  moment.lane_has_room = !moment.lane_paused && room->active < room->limit;
  if (!moment.lane_has_room || std::holds_alternative<run::Claimed>(fact)) return {};
  auto others = others_wait(*lane);
  if (!others) return std::unexpected(others.error());
  moment.lane_has_room = !*others;
  return {};
}

Result<bool> Rooms::others_wait(const std::string& lane) {
  bool waiting = false;
  auto asked = waiting_.each([&](const Row&) { waiting = true; }, lane);
  if (!asked) return std::unexpected(asked.error());
  return waiting;
}

Result<Room> Rooms::of(const std::string& lane) {
  auto room = find(lane);
  if (!room) return std::unexpected(room.error());
  return **room;
}

Result<Room*> Rooms::find(const std::string& lane) {
  if (const auto known = known_.find(lane); known != known_.end()) return &known->second;
  Room room{.limit = limits::kNewLaneLimit};
  auto limit = limit_.each(
      [&](const Row& row) {
        room.exists = true;
        room.limit = row.integer(0);
        room.paused_at = row.integer(1);
        room.draining_at = row.integer(2);
      },
      lane);
  if (!limit) return std::unexpected(limit.error());
  auto active = slots_.each([&](const Row& row) { room.active = row.integer(0); }, lane);
  if (!active) return std::unexpected(active.error());
  return &(known_[lane] = room);
}

void Rooms::count(const run::Record* before, const run::Change& change) {
  const auto room = known_.find(change.after.lane);
  if (room == known_.end()) return;
  const bool held = before != nullptr && run::holds_slot(before->state);
  const bool holds = change.effect == run::Effect::changed && run::holds_slot(change.after.state);
  room->second.active += int{holds} - int{held};
  room->second.exists = true;
}

}  // namespace drover::store::sqlite
