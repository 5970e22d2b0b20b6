// The rules for changing lanes: the same for every store. Pure.
#pragma once

#include <fmt/format.h>

#include "base/limits.h"
#include "run/kind.h"
#include "store/refusals.h"
#include "store/store.h"

namespace drover::store {

// The lanes that Drover itself needs, or that every database has had from the start (`apps`): they
// cannot be removed.
inline bool is_lasting(const run::Kinds& kinds, const std::string& lane) {
  return lane == "default" || lane == "apps" || kinds.owner_of(lane) != nullptr;
}

// `before` is null if there is no such lane. Only a limit creates one, so that a misspelled name in
// `pause` is noticed. A repeated pause keeps the time of the first.
inline Result<Lane> changed_lane(const Lane* before, const LaneSet& wish, WallMs now) {
  if (before == nullptr && !wish.limit) return no_such_lane(wish.name);
  Lane lane = before == nullptr ? Lane{.name = wish.name} : *before;
  lane.limit = wish.limit.value_or(lane.limit);
  const auto since = [now](WallMs begun, const std::optional<bool>& wished) {
    if (!wished) return begun;
    if (!*wished) return WallMs{0};
    return begun != 0 ? begun : now;
  };
  lane.paused_at = since(lane.paused_at, wish.paused);
  lane.draining_at = since(lane.draining_at, wish.draining);
  return lane;
}

// Whether `lane` already matches `wish`.
inline bool matches(const Lane& lane, const LaneSet& wish) {
  return (!wish.limit || *wish.limit == lane.limit) &&
         (!wish.paused || *wish.paused == (lane.paused_at != 0)) &&
         (!wish.draining || *wish.draining == (lane.draining_at != 0));
}

// The events about lanes. Only the owner sees them: they have no scope.
inline SubjectEvent lane_set_event(const Lane& lane) {
  return {.subject = "lane/" + lane.name,
          .type = "lane.set",
          .data = fmt::format(R"({{"limit":{},"paused":{},"draining":{}}})", lane.limit,
                              lane.paused_at != 0, lane.draining_at != 0)};
}
inline SubjectEvent lane_removed_event(const std::string& lane) {
  return {.subject = "lane/" + lane, .type = "lane.removed"};
}

}  // namespace drover::store
