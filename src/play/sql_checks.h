// The checks of `doctor --verify` on plays (doctor/sql_check.h). They contain the names and numbers
// in the database literally, so that a person can read them and run them by hand. If the name of a
// state or a kind changes, change it here too; the assertions below fail otherwise.
#pragma once

#include <algorithm>
#include <array>

#include "doctor/sql_check.h"
#include "play/kinds.h"
#include "play/life.h"

namespace drover::play {

constexpr bool is_one_of_the_words(State state) {
  const std::string_view word = name(state);
  if (state == State::idle) return true;  // A project that was never played has no stored session.
  if (is_at_rest(state)) {
    return word == "prepare_failed" || word == "runtime_failed" || word == "stopped";
  }
  return word == "preparing" || word == "connecting" || word == "running";
}
static_assert(std::ranges::all_of(kStates, is_one_of_the_words));
static_assert(kStates.size() == 7);
static_assert(kPlay == "play" && kStep == "step" && kRuntime == "runtime");
static_assert(kStepEvent == "play.step" && kChangedEvent == "play.changed");

inline constexpr auto kSqlChecks = std::to_array<doctor::SqlCheck>({
    {"a play session agrees with its last event", "SELECT count(*) FROM runs WHERE kind = 'play'",
     "SELECT r.id || ' has a session that differs from its last event' FROM runs r "
     "WHERE r.kind = 'play' AND r.phase IS NOT (SELECT s.data FROM spine s "
     "WHERE s.subject = r.id AND s.type IN ('play.step', 'play.changed') "
     "ORDER BY s.run_seq DESC LIMIT 1)"},
    {"a play session is at rest exactly when its play has finished",
     "SELECT count(*) FROM runs WHERE kind = 'play'",
     "SELECT id || ' is in state ' || state || ', but its session is ' || word FROM "
     "(SELECT id, state, CASE WHEN json_valid(phase) "
     "THEN ifnull(json_extract(phase, '$.state'), 'nothing') ELSE 'unreadable' END AS word "
     "FROM runs WHERE kind = 'play') WHERE CASE WHEN state >= 3 "
     "THEN word NOT IN ('prepare_failed', 'runtime_failed', 'stopped') "
     "ELSE word NOT IN ('preparing', 'connecting', 'running') END"},
    {"a project has at most one active play", "SELECT count(*) FROM runs WHERE kind = 'play'",
     "SELECT scope || ' is being played ' || count(*) || ' times' FROM runs "
     "WHERE kind = 'play' AND state < 3 GROUP BY scope HAVING count(*) > 1"},
    {"no run outlives the play that started it",
     "SELECT count(*) FROM runs WHERE kind IN ('step', 'runtime')",
     "SELECT c.id || ' is active, and its play ' || c.parent_run_id || ' is not' FROM runs c "
     "WHERE c.kind IN ('step', 'runtime') AND c.state < 3 AND NOT EXISTS "
     "(SELECT 1 FROM runs p WHERE p.id = c.parent_run_id AND p.state < 3)"},
});

// A database from before there were plays has none, so these checks are left out.
inline constexpr doctor::SqlCheckSet kSqlCheckSet{
    .known = "SELECT count(*) FROM pragma_table_info('runs') WHERE name = 'phase'",
    .checks = kSqlChecks};

}  // namespace drover::play
