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

Result<bool> Rooms::has_room(const run::Fact& fact, const run::Record* before) {
  const auto* submitted = std::get_if<run::Submitted>(&fact);
  const bool claims = std::holds_alternative<run::Claimed>(fact) && before != nullptr;
  if (!claims && (submitted == nullptr || before != nullptr)) return false;
  const std::string& lane = claims ? before->lane : submitted->record.lane;
  auto room = of(lane);
  if (!room) return std::unexpected(room.error());
  if (room->active >= room->limit) return false;
  if (claims) return true;
  bool others_wait = false;
  auto asked = waiting_.each([&](const Row&) { others_wait = true; }, lane);
  if (!asked) return std::unexpected(asked.error());
  return !others_wait;
}

Result<Room> Rooms::of(const std::string& lane) {
  auto room = find(lane);
  if (!room) return std::unexpected(room.error());
  return **room;
}

Result<Room*> Rooms::find(const std::string& lane) {
  if (const auto known = known_.find(lane); known != known_.end()) return &known->second;
  Room room{.exists = false, .limit = limits::kNewLaneLimit, .active = 0};
  auto limit = limit_.each(
      [&](const Row& row) {
        room.exists = true;
        room.limit = row.integer(0);
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
  if (before == nullptr) room->second.exists = true;
}

}  // namespace drover::store::sqlite
