// A room for tests: kinds and a table in place of those of the real rooms (run/kind.h,
// store/transaction.h). The composite is a `tour`; its children are of the kind `leg`, and both
// belong to the lane `tours`. The phase of a tour is its place: {"at":"packing"}, then
// {"at":"run_…"} for each leg, then {"at":"home"}, where it finishes. The table is `visits`.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>

#include "run/kind.h"
#include "run/record.h"
#include "store/sqlite/options.h"
#include "store/transaction.h"

namespace drover::testing {

inline constexpr std::string_view kTour = "tour";
inline constexpr std::string_view kLeg = "leg";
inline constexpr std::string_view kTourLane = "tours";
inline constexpr std::string_view kHome = "home";

inline std::string tour_at(std::string_view place) {
  return R"({"at":")" + std::string(place) + R"("})";
}

// A change is the next place of the tour.
inline Result<std::optional<run::PhaseStep>> tour_rule(const run::Record& before,
                                                       std::string_view change) {
  const std::string after = tour_at(change);
  if (before.phase == after) return std::nullopt;
  const bool begins = change == "packing";
  if (before.phase == tour_at(kHome) || begins != before.phase.empty()) {
    return fail(ErrorCode::conflict, "illegal_transition", "a tour cannot go there", "run_id");
  }
  return run::PhaseStep{.after = after,
                        .event = change.starts_with("run_") ? "tour.leg" : "tour.changed",
                        .at_rest = change == kHome};
}

inline std::string tour_leg(const run::Record& tour) {
  const size_t begin = tour.phase.find("run_");
  return begin == std::string::npos ? "" : tour.phase.substr(begin, tour.phase.size() - begin - 2);
}

inline Result<RunId> tour_signal(const run::Record& tour) {
  if (const auto id = RunId::parse(tour_leg(tour))) return *id;
  return fail(ErrorCode::conflict, "no_leg", "the tour is at no leg", "run_id");
}

inline constexpr auto kTourKinds = std::to_array<run::Kind>({
    {.name = kTour,
     .composite = true,
     .lane = kTourLane,
     .not_cancellable = "is a tour",
     .not_retriable = "is a tour",
     .one_per_scope = true,
     .phase = &tour_rule,
     .first_change = "packing",
     .phase_field = "place",
     .current_child = &tour_leg,
     .signal_target = &tour_signal},
    {.name = kLeg, .lane = kTourLane, .not_retriable = "is a leg", .ends_with_parent = true},
});

// Commands, tours and legs.
inline const run::Kinds& tour_kinds() {
  static const std::array<std::span<const run::Kind>, 1> kRooms{kTourKinds};
  static const run::Kinds kinds(kRooms);
  return kinds;
}

inline constexpr auto kVisitMigrations = std::to_array<std::string_view>({
    "CREATE TABLE IF NOT EXISTS visits (id TEXT PRIMARY KEY, place TEXT NOT NULL, at INTEGER NOT "
    "NULL) "
    "STRICT, WITHOUT ROWID;"
    "INSERT INTO lanes (name, lane_limit) VALUES ('tours', 2) ON CONFLICT (name) DO NOTHING;",
});
inline const store::RoomSchema kVisitTables{.room = "tours", .migrations = kVisitMigrations};

// Adds a row to `visits`, and an event that readers of the scope `tours` may see.
inline store::Work visit(std::string id, std::string place) {
  return [id = std::move(id), place = std::move(place)](store::Transaction& t) -> Result<> {
    auto added =
        t.execute("INSERT INTO visits (id, place, at) VALUES ($1, $2, $3)", {id, place, t.now()});
    if (!added) return added;
    return t.append({.subject = "visit/" + id, .type = "visit.paid", .scope = "tours"});
  };
}

// Options for a store with this room.
inline store::sqlite::Options with_tours(store::sqlite::Options options = {}) {
  options.kinds = &tour_kinds();
  options.rooms.push_back(kVisitTables);
  return options;
}

}  // namespace drover::testing
