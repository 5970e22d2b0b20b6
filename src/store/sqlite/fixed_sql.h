// The constant queries of the store. They are listed apart, so that a test can check SQLite's plan
// for each of them.
#pragma once

#include <string>
#include <string_view>

namespace drover::store::sqlite::fixed_sql {

inline constexpr auto kPrefix =
    "SELECT id FROM runs WHERE id >= ?1 AND id < ?2 ORDER BY id DESC LIMIT ?3";
inline constexpr auto kFinalEvent = " FROM spine WHERE subject = ?1 AND terminal";
inline constexpr auto kEpochs = "SELECT epoch, first_seq, follows FROM epochs ORDER BY first_seq";
inline constexpr auto kLastSeq = "SELECT ifnull(max(seq), 0) FROM spine";

// Compaction (compactor.h). `kScan` reads the log once, in order.
inline constexpr auto kMark = "SELECT value FROM marks WHERE name = ?1";
inline constexpr auto kScan =
    "SELECT seq, subject, type, time FROM spine WHERE seq > ?1 AND seq <= ?2 ORDER BY seq LIMIT ?3";
inline constexpr auto kEventsOfRun = " FROM spine WHERE subject = ?1 ORDER BY run_seq";
inline constexpr auto kStored = "SELECT 1 FROM runs WHERE id = ?1";
inline constexpr auto kForgetSubject = "DELETE FROM spine WHERE subject = ?1";
inline constexpr auto kEvidence = " FROM evidence WHERE id = ?1";
inline constexpr auto kEvidenceExists = "SELECT 1 FROM evidence WHERE id = ?1";
inline constexpr auto kParentInEvidence =
    "SELECT ifnull(parent_run_id, '') FROM evidence WHERE id = ?1";
inline constexpr auto kNextSubject =
    "SELECT subject FROM spine WHERE subject >= ?1 ORDER BY subject LIMIT 1";
inline constexpr auto kCountSort =
    "SELECT count(*) FROM spine WHERE subject >= ?1 AND subject < ?2";
inline constexpr auto kOldestOfSort =
    "SELECT seq, time, scope FROM spine WHERE seq IN (SELECT seq FROM spine WHERE subject >= ?1 "
    "AND subject < ?2 ORDER BY seq LIMIT ?3) ORDER BY seq";
inline constexpr auto kNextKeys =
    "SELECT scope, key, run_id FROM idempotency WHERE (scope, key) > (?1, ?2) "
    "ORDER BY scope, key LIMIT ?3";
// Ids begin with the time of the submission, so those before it come first.
inline constexpr auto kForgetEvidence =
    "DELETE FROM evidence WHERE id IN (SELECT id FROM evidence WHERE id < ?1 AND "
    "queued_at + finished_ms < ?2 ORDER BY id LIMIT ?3)";

inline constexpr auto kSizes =
    "SELECT (SELECT page_count FROM pragma_page_count) * p.page_size, "
    "(SELECT freelist_count FROM pragma_freelist_count) * p.page_size, "
    "(SELECT count(*) FROM runs), (SELECT count(*) FROM spine), "
    "ifnull((SELECT value FROM marks WHERE name = 'evidence_rows'), 0), "
    "(SELECT count(*) FROM idempotency) FROM pragma_page_size p";

// The queries of a submission or claim: the lane's limit, its taken slots, its waiting runs, the
// first run of a key.
inline constexpr auto kLaneLimit =
    "SELECT lane_limit, paused_at, draining_at FROM lanes WHERE name = ?1";
inline constexpr auto kSlots =
    "SELECT count(*) FROM runs INDEXED BY runs_active "
    "WHERE state IN (1, 2) AND lane = ?1 AND state < 3";
// Runs of unknown kinds are left for another daemon, and no other run waits behind them: `kinds`
// are the known ones, quoted.
inline std::string waiting(std::string_view kinds) {
  return "SELECT 1 FROM runs INDEXED BY runs_active WHERE state = 0 AND lane = ?1 AND held = 0 "
         "AND state < 3 AND kind IN (" +
         std::string(kinds) + ") LIMIT 1";
}
inline constexpr auto kLaneBusy =
    "SELECT 1 FROM runs INDEXED BY runs_active "
    "WHERE state IN (0, 1, 2) AND lane = ?1 AND state < 3 LIMIT 1";
// The state of a run that another one waits for.
inline constexpr auto kDependencyStatus = "SELECT state, retried_by FROM runs WHERE id = ?1";
inline constexpr auto kKey = "SELECT run_id, digest FROM idempotency WHERE scope = ?1 AND key = ?2";

// Another active run of the same kind and scope. Composites have no lane, so they are found under
// the empty one.
inline constexpr auto kRival =
    "SELECT id FROM runs INDEXED BY runs_active WHERE state IN (0, 1, 2) AND state < 3 AND "
    "lane = '' AND scope = ?1 AND kind = ?2 AND id != ?3 LIMIT 1";

// In order of run_seq, which within a run is the order of seq and has an index. The last ones are
// read from the end.
struct EventsSql {
  const char* first;
  const char* last;
};
inline constexpr EventsSql kRunEvents{
    " FROM spine WHERE subject = ?1 AND seq > ?2 ORDER BY run_seq LIMIT ?3",
    " FROM spine WHERE subject = ?1 AND seq > ?2 ORDER BY run_seq DESC LIMIT ?3"};
inline constexpr EventsSql kEvents{" FROM spine WHERE seq > ?1 ORDER BY seq LIMIT ?2",
                                   " FROM spine WHERE seq > ?1 ORDER BY seq DESC LIMIT ?2"};
// Without the events that only the owner may see: those have no scope.
inline constexpr EventsSql kScopedEvents{
    " FROM spine WHERE seq > ?1 AND scope != '' ORDER BY seq LIMIT ?2",
    " FROM spine WHERE seq > ?1 AND scope != '' ORDER BY seq DESC LIMIT ?2"};
// Events of one sort of subjects: from "token/" up to the first text after it.
inline constexpr EventsSql kSortEvents{
    " FROM spine WHERE subject >= ?2 || '/' AND subject < ?2 || '0' AND seq > ?1 "
    "ORDER BY seq LIMIT ?3",
    " FROM spine WHERE subject >= ?2 || '/' AND subject < ?2 || '0' AND seq > ?1 "
    "ORDER BY seq DESC LIMIT ?3"};
// Events of the scope itself and of those below it, each in order: SQLite merges the two.
inline constexpr EventsSql kScopeEvents{
    " FROM spine WHERE seq IN (SELECT seq FROM spine INDEXED BY spine_scope "
    "WHERE scope = ?2 AND scope != 'default' AND seq > ?1 UNION ALL "
    "SELECT seq FROM spine_scopes WHERE scope = ?2 AND seq > ?1 ORDER BY 1 LIMIT ?3) "
    "ORDER BY seq",
    " FROM spine WHERE seq IN (SELECT seq FROM spine INDEXED BY spine_scope "
    "WHERE scope = ?2 AND scope != 'default' AND seq > ?1 UNION ALL "
    "SELECT seq FROM spine_scopes WHERE scope = ?2 AND seq > ?1 ORDER BY 1 DESC LIMIT ?3) "
    "ORDER BY seq DESC"};
// Events of kCommonScope, which has no index.
inline constexpr EventsSql kCommonEvents{
    " FROM spine WHERE seq > ?1 AND (scope = ?2 OR (scope >= ?2 || '/' AND scope < ?2 || '0')) "
    "ORDER BY seq LIMIT ?3",
    " FROM spine WHERE seq > ?1 AND (scope = ?2 OR (scope >= ?2 || '/' AND scope < ?2 || '0')) "
    "ORDER BY seq DESC LIMIT ?3"};

// The progress events of a run without the newest ones. A run has few other events.
inline constexpr auto kOldProgress =
    "SELECT seq FROM spine WHERE subject = ?1 AND type = 'run.progress' "
    "ORDER BY run_seq DESC LIMIT -1 OFFSET ?2";

inline constexpr auto kLanes =
    "SELECT name, lane_limit,"
    " (SELECT count(*) FROM runs INDEXED BY runs_active"
    "  WHERE lane = lanes.name AND state IN (1, 2) AND state < 3),"
    " (SELECT count(*) FROM runs INDEXED BY runs_active"
    "  WHERE lane = lanes.name AND state = 0 AND state < 3),"
    " paused_at, draining_at FROM lanes ORDER BY name";

// Jumps from scope to scope along the index and counts each: several times faster than GROUP BY.
// The index also contains active runs; they are subtracted.
inline constexpr auto kCrowded =
    "WITH RECURSIVE s (scope) AS (SELECT min(scope) FROM runs INDEXED BY runs_scope UNION ALL"
    " SELECT (SELECT min(scope) FROM runs INDEXED BY runs_scope WHERE scope > s.scope) FROM s"
    " WHERE s.scope IS NOT NULL),"
    " c (scope, records) AS (SELECT scope, (SELECT count(*) FROM runs INDEXED BY runs_scope"
    " WHERE scope = s.scope) FROM s WHERE s.scope IS NOT NULL) "
    "SELECT scope, records - CASE WHEN records > ?1 THEN (SELECT count(*) FROM runs a INDEXED BY"
    " runs_active WHERE a.state < 3 AND a.scope = c.scope) ELSE 0 END FROM c ORDER BY scope";

}  // namespace drover::store::sqlite::fixed_sql
