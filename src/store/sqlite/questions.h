// The reader's questions that are always the same. They stand apart so that the test of query plans
// can ask SQLite how it would answer each of them.
#pragma once

namespace drover::store::sqlite::questions {

inline constexpr auto kPrefix =
    "SELECT id FROM runs WHERE id >= ?1 AND id < ?2 ORDER BY id DESC LIMIT ?3";
inline constexpr auto kTerminal = " FROM spine WHERE run_id = ?1 AND terminal";
inline constexpr auto kLastSeq = "SELECT ifnull(max(seq), 0) FROM spine";

// Ordered by run_seq, which within a run is the order of seq and has an index.
inline constexpr auto kRunEvents =
    " FROM spine WHERE run_id = ?1 AND seq > ?2 ORDER BY run_seq LIMIT ?3";
inline constexpr auto kEvents = " FROM spine WHERE seq > ?1 ORDER BY seq LIMIT ?2";
inline constexpr auto kScopeEvents =
    " FROM spine WHERE seq > ?1 AND (scope = ?2 OR (scope >= ?3 AND scope < ?4)) "
    "ORDER BY seq LIMIT ?5";

inline constexpr auto kLanes =
    "SELECT name, lane_limit,"
    " (SELECT count(*) FROM runs INDEXED BY runs_active"
    "  WHERE lane = lanes.name AND state IN (1, 2) AND state < 3),"
    " (SELECT count(*) FROM runs INDEXED BY runs_active"
    "  WHERE lane = lanes.name AND state = 0 AND state < 3) FROM lanes ORDER BY name";

// Numbers are never used twice: a store that spans no more of them holds no more records.
inline constexpr auto kSpan =
    "SELECT ifnull((SELECT max(number) FROM runs) - "
    "(SELECT min(number) FROM runs) + 1, 0)";
// Candidates by all their records, from the index alone; then without those that are active.
inline constexpr auto kCrowded =
    "SELECT scope, ended FROM (SELECT scope, records - (SELECT count(*) FROM runs a INDEXED BY"
    " runs_active WHERE a.state < 3 AND a.scope = c.scope) AS ended FROM"
    " (SELECT scope, count(*) AS records FROM runs INDEXED BY runs_scope GROUP BY scope"
    "  HAVING records > ?1) AS c) WHERE ended > ?1 ORDER BY scope";

}  // namespace drover::store::sqlite::questions
