#include "store/sqlite/lane_book.h"

#include "store/lane_rules.h"
#include "store/sqlite/fixed_sql.h"

namespace drover::store::sqlite {

Result<> LaneBook::prepare(Database& database) {
  for (auto [statement, sql] : {std::pair(&find_, fixed_sql::kLaneLimit),
                                std::pair(&put_,
                                          "INSERT OR REPLACE INTO lanes (name, lane_limit, "
                                          "paused_at, draining_at) VALUES (?1, ?2, ?3, ?4)"),
                                std::pair(&remove_, "DELETE FROM lanes WHERE name = ?1"),
                                std::pair(&busy_, fixed_sql::kLaneBusy)}) {
    auto prepared = database.prepare(sql);
    if (!prepared) return std::unexpected(prepared.error());
    *statement = std::move(*prepared);
  }
  return {};
}

Result<> LaneBook::add(const std::string& lane, std::int64_t limit) {
  return put_.run(lane, limit, 0, 0);
}

Result<std::optional<Lane>> LaneBook::find(const std::string& name) {
  std::optional<Lane> found;
  auto asked = find_.each(
      [&](const Row& row) {
        found = Lane{.name = name,
                     .limit = row.integer(0),
                     .paused_at = row.integer(1),
                     .draining_at = row.integer(2)};
      },
      name);
  if (!asked) return std::unexpected(asked.error());
  return found;
}

Result<LaneBook::SubjectEventResult> LaneBook::set(const LaneSet& wish, WallMs now) {
  auto before = find(wish.name);
  if (!before) return std::unexpected(before.error());
  const auto lane = changed_lane(*before ? &**before : nullptr, wish, now);
  if (!lane) return SubjectEventResult(std::unexpected(lane.error()));
  if (*before && matches(**before, wish)) return SubjectEventResult(std::nullopt);
  auto put = put_.run(lane->name, lane->limit, lane->paused_at, lane->draining_at);
  if (!put) return std::unexpected(put.error());
  return SubjectEventResult(lane_set_event(*lane));
}

Result<LaneBook::SubjectEventResult> LaneBook::remove(const LaneRemoved& wish,
                                                      const run::Kinds& kinds) {
  const auto lane = find(wish.name);
  if (!lane) return std::unexpected(lane.error());
  bool busy = false;
  auto asked = busy_.each([&](const Row&) { busy = true; }, wish.name);
  if (!asked) return std::unexpected(asked.error());
  if (is_lasting(kinds, wish.name)) return SubjectEventResult(lane_stays(wish.name));
  if (busy) return SubjectEventResult(lane_busy(wish.name));
  if (!*lane) return SubjectEventResult(no_such_lane(wish.name));
  if (auto removed = remove_.run(wish.name); !removed) return std::unexpected(removed.error());
  return SubjectEventResult(lane_removed_event(wish.name));
}

}  // namespace drover::store::sqlite
