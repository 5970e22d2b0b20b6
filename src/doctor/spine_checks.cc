#include "doctor/spine_checks.h"

#include <array>
#include <string>
#include <string_view>
#include <utility>

#include "doctor/state_numbers.h"  // Asserts the numbers below.

namespace drover::doctor {
namespace {

constexpr auto kSqlChecks = std::to_array<SqlCheck>({
    {"every acknowledged id resolves",
     "SELECT count(DISTINCT subject) FROM spine WHERE instr(subject, '/') = 0",
     "SELECT s.subject || ' has events, but neither a record nor a final event' FROM "
     "(SELECT DISTINCT subject FROM spine WHERE instr(subject, '/') = 0) s WHERE NOT EXISTS "
     "(SELECT 1 FROM runs r WHERE r.id = s.subject) AND NOT EXISTS "
     "(SELECT 1 FROM spine t WHERE t.subject = s.subject AND t.terminal)"},
    {"a record disappears only by deletion",
     "SELECT count(*) FROM spine t WHERE t.terminal AND NOT EXISTS "
     "(SELECT 1 FROM runs r WHERE r.id = t.subject)",
     "SELECT t.subject || ' has finished and has no record, but was never deleted' FROM spine t "
     "WHERE t.terminal AND NOT EXISTS (SELECT 1 FROM runs r WHERE r.id = t.subject) AND NOT EXISTS "
     "(SELECT 1 FROM spine d WHERE d.subject = t.subject AND d.type = 'run.deleted')"},
    {"every record has its history", "SELECT count(*) FROM runs",
     "SELECT id || ' counts ' || events || ' events, but the spine has ' || n || "
     "', the last of them number ' || last FROM (SELECT r.id, r.events, "
     "(SELECT count(*) FROM spine s WHERE s.subject = r.id) AS n, "
     "(SELECT ifnull(max(run_seq), 0) FROM spine s WHERE s.subject = r.id) AS last, "
     // Older progress is removed: between the start and the oldest progress that is kept,
     // events may be missing.
     "(SELECT min(run_seq) FROM spine s WHERE s.subject = r.id AND s.type = 'run.progress') "
     "AS kept, (SELECT min(run_seq) FROM spine s WHERE s.subject = r.id AND "
     "s.type = 'run.started') AS start FROM runs r) h WHERE last != events OR (n != events AND NOT "
     "(kept IS NOT NULL AND start IS NOT NULL AND "
     "(SELECT count(*) FROM spine s WHERE s.subject = h.id AND s.run_seq <= start) = start AND "
     "(SELECT count(*) FROM spine s WHERE s.subject = h.id AND s.run_seq >= kept) = "
     "events - kept + 1))"},
    {"a finished run has exactly one final event", "SELECT count(*) FROM runs WHERE state >= 3",
     "SELECT r.id || ' has finished, with ' || "
     "(SELECT count(*) FROM spine s WHERE s.subject = r.id AND s.terminal) || ' final events' "
     "FROM runs r WHERE r.state >= 3 AND "
     "(SELECT count(*) FROM spine s WHERE s.subject = r.id AND s.terminal) != 1"},
    {"an active run has no final event", "SELECT count(*) FROM runs WHERE state < 3",
     "SELECT r.id || ' is active, yet has a final event' FROM runs r WHERE r.state < 3 AND "
     "EXISTS (SELECT 1 FROM spine s WHERE s.subject = r.id AND s.terminal)"},
    {"a final event is the last", "SELECT count(*) FROM spine WHERE terminal",
     "SELECT t.subject || ': ' || s.type || ' comes after ' || t.type FROM spine t JOIN spine s "
     "ON s.subject = t.subject AND s.run_seq > t.run_seq WHERE t.terminal "
     "AND s.type != 'run.deleted'"},
    {"a record agrees with its last event", "SELECT count(*) FROM runs",
     "SELECT r.id || ' is in state ' || r.state || ', but its last event is ' || s.type "
     "FROM runs r JOIN spine s ON s.subject = r.id AND s.run_seq = r.events WHERE "
     "CASE s.type WHEN 'run.queued' THEN r.state != 0 WHEN 'run.ready' THEN r.state != 0 "
     "WHEN 'run.moved' THEN r.state != 0 WHEN 'run.starting' THEN r.state != 1 "
     "WHEN 'run.started' THEN r.state != 2 WHEN 'run.progress' THEN r.state != 2 "
     "WHEN 'run.completed' THEN r.state != 3 "
     "WHEN 'run.failed' THEN r.state != 4 WHEN 'run.canceled' THEN r.state != 5 "
     "WHEN 'run.timed_out' THEN r.state != 6 WHEN 'run.abandoned' THEN r.state != 7 "
     "ELSE 0 END"},
    {"sequence numbers only increase", "SELECT count(*) FROM spine",
     "SELECT a.subject || ': event ' || a.run_seq || ' was written after event ' || b.run_seq "
     "FROM spine a JOIN spine b ON b.subject = a.subject AND b.run_seq = a.run_seq + 1 "
     "WHERE b.seq < a.seq"},
});

// A key leads to the events of its run. In newer databases it may lead to evidence instead.
constexpr auto kOldKeyChecks = std::to_array<SqlCheck>({
    {"an idempotency key leads to its run", "SELECT count(*) FROM idempotency",
     "SELECT 'key ' || i.key || ' leads to ' || i.run_id || ', which does not exist' "
     "FROM idempotency i WHERE NOT EXISTS (SELECT 1 FROM spine s WHERE s.subject = i.run_id)"},
});

// About compaction. The evidence of a run may be removed after its age (`retention.evidence`).
constexpr auto kEvidenceChecks = std::to_array<SqlCheck>({
    {"an idempotency key leads to its run", "SELECT count(*) FROM idempotency",
     "SELECT 'key ' || i.key || ' leads to ' || i.run_id || ', which does not exist' "
     "FROM idempotency i WHERE NOT EXISTS (SELECT 1 FROM spine s WHERE s.subject = i.run_id) AND "
     "NOT EXISTS (SELECT 1 FROM evidence e WHERE e.id = i.run_id) AND "
     "NOT EXISTS (SELECT 1 FROM marks WHERE name = 'evidence_removed')"},
    {"a compacted run has neither a record nor events", "SELECT count(*) FROM evidence",
     "SELECT e.id || ' has evidence, but also ' || CASE WHEN EXISTS "
     "(SELECT 1 FROM runs r WHERE r.id = e.id) THEN 'a record' ELSE 'events' END "
     "FROM evidence e WHERE EXISTS (SELECT 1 FROM runs r WHERE r.id = e.id) OR EXISTS "
     "(SELECT 1 FROM spine s WHERE s.subject = e.id)"},
    {"the rows of evidence are counted", "SELECT count(*) FROM evidence",
     "SELECT 'there are ' || n || ' rows of evidence, but ' || counted || ' were counted' FROM "
     "(SELECT (SELECT count(*) FROM evidence) AS n, ifnull((SELECT value FROM marks "
     "WHERE name = 'evidence_rows'), 0) AS counted) WHERE n != counted"},
    {"evidence says how its run finished", "SELECT count(*) FROM evidence",
     "SELECT id || ' is in state ' || state || ', which is not a final one' FROM evidence "
     "WHERE state NOT BETWEEN 3 AND 7"},
    {"only events before the newest one are compacted", "SELECT count(*) FROM marks",
     "SELECT 'events up to ' || value || ' are compacted, but the newest one is ' || "
     "(SELECT ifnull(max(seq), 0) FROM spine) FROM marks WHERE name = 'compacted_through' "
     "AND value >= (SELECT ifnull(max(seq), 0) FROM spine)"},
    {"the log of a scope has only events that exist", "SELECT count(*) FROM spine_scopes",
     "SELECT 'the scope ' || scope || ' has event ' || seq || ', which does not exist' "
     "FROM spine_scopes WHERE NOT EXISTS (SELECT 1 FROM spine s WHERE s.seq = spine_scopes.seq)"},
});

// About the log by scope. A database that no daemon has upgraded yet does not have it.
constexpr auto kScopeChecks = std::to_array<SqlCheck>({
    {"an event is found by the scopes above its own",
     "SELECT count(*) FROM spine WHERE instr(scope, '/') > 0",
     "WITH RECURSIVE above (scope, seq, subject) AS ("
     "SELECT rtrim(rtrim(scope, replace(scope, '/', '')), '/'), seq, subject FROM spine "
     "WHERE instr(scope, '/') > 0 UNION ALL "
     "SELECT rtrim(rtrim(scope, replace(scope, '/', '')), '/'), seq, subject FROM above "
     "WHERE instr(scope, '/') > 0) "
     "SELECT a.subject || ': event ' || a.seq || ' is not found by the scope ' || a.scope "
     "FROM above a WHERE a.scope != 'default' AND NOT EXISTS "
     "(SELECT 1 FROM spine_scopes s WHERE s.scope = a.scope AND s.seq = a.seq)"},
});

constexpr SqlCheckSet kScopes{.known = "SELECT count(*) FROM pragma_table_info('spine_scopes')",
                              .checks = kScopeChecks};
constexpr SqlCheckSet kOldKeys{.known = "SELECT count(*) = 0 FROM pragma_table_info('evidence')",
                               .checks = kOldKeyChecks};
constexpr SqlCheckSet kEvidence{.known = "SELECT count(*) FROM pragma_table_info('evidence')",
                                .checks = kEvidenceChecks};
constexpr auto kIsNew = "SELECT count(*) FROM pragma_table_info('spine') WHERE name = 'subject'";

// The SQL of a check in the names of an older schema.
std::string with_old_names(std::string_view sql) {
  std::string out(sql);
  for (const auto& [now, before] :
       {std::pair{"subject", "run_id"}, std::pair{"phase", "session"}}) {
    for (size_t at = out.find(now); at != std::string::npos; at = out.find(now, at)) {
      out.replace(at, std::string_view(now).size(), before);
    }
  }
  return out;
}

// Runs checks on one database, in the names of its schema.
class SchemaChecker {
 public:
  SchemaChecker(store::sqlite::Database& database, bool is_new)
      : database_(database), is_new_(is_new) {}

  Result<> run_all(const SqlCheckSet& set, std::vector<Check>& checks) {
    const auto known = database_.integer(text_of(set.known));
    if (!known) return std::unexpected(known.error());
    if (*known == 0) return {};
    for (const SqlCheck& sql_check : set.checks) {
      auto check = run(sql_check);
      if (!check) return std::unexpected(check.error());
      checks.push_back(std::move(*check));
    }
    return {};
  }

 private:
  std::string text_of(std::string_view sql) const {
    return is_new_ ? std::string(sql) : with_old_names(sql);
  }
  Result<Check> run(const SqlCheck& sql_check) {
    Check check{.promise = std::string(sql_check.promise)};
    const auto count = database_.integer(text_of(sql_check.count));
    if (!count) return std::unexpected(count.error());
    check.looked_at = *count;
    auto statement = database_.prepare(text_of(sql_check.broken));
    if (!statement) return std::unexpected(statement.error());
    auto ran = statement->each([&](const store::sqlite::Row& row) {
      ++check.problem_count;
      if (check.problems.size() < kProblemsMax) check.problems.emplace_back(row.text(0));
    });
    if (!ran) return std::unexpected(ran.error());
    return check;
  }

  store::sqlite::Database& database_;
  bool is_new_;
};

}  // namespace

Result<std::string> in_schema_names(store::sqlite::Database& database, std::string_view sql) {
  const auto is_new = database.integer(kIsNew);
  if (!is_new) return std::unexpected(is_new.error());
  return *is_new != 0 ? std::string(sql) : with_old_names(sql);
}

Result<std::vector<Check>> check_spine(store::sqlite::Database& database,
                                       std::span<const SqlCheckSet> room_checks) {
  std::vector<Check> checks;
  Check sound{.promise = "the database file is sound", .looked_at = 1};
  auto integrity = database.prepare("PRAGMA integrity_check(20)");
  if (!integrity) return std::unexpected(integrity.error());
  auto read = integrity->each([&](const store::sqlite::Row& row) {
    if (row.text(0) == "ok") return;
    ++sound.problem_count;
    sound.problems.emplace_back(row.text(0));
  });
  if (!read) return std::unexpected(read.error());
  checks.push_back(std::move(sound));
  // One transaction, so that all checks see the same state.
  if (auto begun = database.execute("BEGIN"); !begun) return std::unexpected(begun.error());
  const auto is_new = database.integer(kIsNew);
  if (!is_new) return std::unexpected(is_new.error());
  SchemaChecker checker(database, *is_new != 0);
  std::vector<SqlCheckSet> sets{{.known = "SELECT 1", .checks = kSqlChecks}};
  sets.insert(sets.end(), room_checks.begin(), room_checks.end());
  for (const SqlCheckSet& set : {kScopes, kOldKeys, kEvidence}) sets.push_back(set);
  for (const SqlCheckSet& set : sets) {
    if (auto ran = checker.run_all(set, checks); !ran) return std::unexpected(ran.error());
  }
  if (auto done = database.execute("COMMIT"); !done) return std::unexpected(done.error());
  return checks;
}

}  // namespace drover::doctor
