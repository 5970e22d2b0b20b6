#include "doctor/spine_checks.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <string_view>

#include "doctor/session_words.h"  // What the words and
#include "doctor/state_numbers.h"  // the numbers below are held to.

namespace drover::doctor {
namespace {

// One promise: how many things it speaks of, and a question whose every answer is a broken one.
struct Question {
  std::string_view promise;
  std::string_view count;
  std::string_view broken;  // One column of text: what is wrong.
};

constexpr auto kQuestions = std::to_array<Question>({
    {"every acknowledged id resolves", "SELECT count(DISTINCT run_id) FROM spine",
     "SELECT s.run_id || ' has events, but neither a record nor an end' FROM "
     "(SELECT DISTINCT run_id FROM spine) s WHERE NOT EXISTS "
     "(SELECT 1 FROM runs r WHERE r.id = s.run_id) AND NOT EXISTS "
     "(SELECT 1 FROM spine t WHERE t.run_id = s.run_id AND t.terminal)"},
    {"a record goes only by deletion",
     "SELECT count(*) FROM spine t WHERE t.terminal AND NOT EXISTS "
     "(SELECT 1 FROM runs r WHERE r.id = t.run_id)",
     "SELECT t.run_id || ' has ended and has no record, but was never deleted' FROM spine t "
     "WHERE t.terminal AND NOT EXISTS (SELECT 1 FROM runs r WHERE r.id = t.run_id) AND NOT EXISTS "
     "(SELECT 1 FROM spine d WHERE d.run_id = t.run_id AND d.type = 'run.deleted')"},
    {"every record has its history", "SELECT count(*) FROM runs",
     "SELECT id || ' counts ' || events || ' events, but the spine has ' || n || "
     "', the last of them number ' || last FROM (SELECT r.id, r.events, "
     "(SELECT count(*) FROM spine s WHERE s.run_id = r.id) AS n, "
     "(SELECT ifnull(max(run_seq), 0) FROM spine s WHERE s.run_id = r.id) AS last "
     "FROM runs r) WHERE n != events OR last != events"},
    {"an ended run has exactly one end", "SELECT count(*) FROM runs WHERE state >= 3",
     "SELECT r.id || ' has ended, with ' || "
     "(SELECT count(*) FROM spine s WHERE s.run_id = r.id AND s.terminal) || ' terminal events' "
     "FROM runs r WHERE r.state >= 3 AND "
     "(SELECT count(*) FROM spine s WHERE s.run_id = r.id AND s.terminal) != 1"},
    {"an active run has no end", "SELECT count(*) FROM runs WHERE state < 3",
     "SELECT r.id || ' is active, yet has a terminal event' FROM runs r WHERE r.state < 3 AND "
     "EXISTS (SELECT 1 FROM spine s WHERE s.run_id = r.id AND s.terminal)"},
    {"an end is final", "SELECT count(*) FROM spine WHERE terminal",
     "SELECT t.run_id || ': ' || s.type || ' comes after ' || t.type FROM spine t JOIN spine s "
     "ON s.run_id = t.run_id AND s.run_seq > t.run_seq WHERE t.terminal "
     "AND s.type != 'run.deleted'"},
    {"the record says what its last event says", "SELECT count(*) FROM runs",
     "SELECT r.id || ' is in state ' || r.state || ', but its last event is ' || s.type "
     "FROM runs r JOIN spine s ON s.run_id = r.id AND s.run_seq = r.events WHERE "
     "CASE s.type WHEN 'run.queued' THEN r.state != 0 WHEN 'run.ready' THEN r.state != 0 "
     "WHEN 'run.moved' THEN r.state != 0 WHEN 'run.starting' THEN r.state != 1 "
     "WHEN 'run.started' THEN r.state != 2 WHEN 'run.completed' THEN r.state != 3 "
     "WHEN 'run.failed' THEN r.state != 4 WHEN 'run.canceled' THEN r.state != 5 "
     "WHEN 'run.timed_out' THEN r.state != 6 WHEN 'run.abandoned' THEN r.state != 7 "
     "ELSE 0 END"},
    {"sequences only increase", "SELECT count(*) FROM spine",
     "SELECT a.run_id || ': event ' || a.run_seq || ' was written after event ' || b.run_seq "
     "FROM spine a JOIN spine b ON b.run_id = a.run_id AND b.run_seq = a.run_seq + 1 "
     "WHERE b.seq < a.seq"},
    {"an idempotency key leads to its run", "SELECT count(*) FROM idempotency",
     "SELECT 'key ' || i.key || ' leads to ' || i.run_id || ', which nobody knows' "
     "FROM idempotency i WHERE NOT EXISTS (SELECT 1 FROM spine s WHERE s.run_id = i.run_id)"},
});

// Of plays. A database that no daemon has opened since there are any knows nothing of them.
constexpr auto kKnowsPlays =
    "SELECT count(*) FROM pragma_table_info('runs') WHERE name = 'session'";
constexpr auto kPlayQuestions = std::to_array<Question>({
    {"a play session is what its last event says", "SELECT count(*) FROM runs WHERE kind = 'play'",
     "SELECT r.id || ' has another session than its last event tells of' FROM runs r "
     "WHERE r.kind = 'play' AND r.session IS NOT (SELECT s.data FROM spine s "
     "WHERE s.run_id = r.id AND s.type IN ('play.step', 'play.changed') "
     "ORDER BY s.run_seq DESC LIMIT 1)"},
    {"a play session is at rest once its play has ended, and not before",
     "SELECT count(*) FROM runs WHERE kind = 'play'",
     "SELECT id || ' is in state ' || state || ', but its session is ' || word FROM "
     "(SELECT id, state, CASE WHEN json_valid(session) "
     "THEN ifnull(json_extract(session, '$.state'), 'nothing') ELSE 'unreadable' END AS word "
     "FROM runs WHERE kind = 'play') WHERE CASE WHEN state >= 3 "
     "THEN word NOT IN ('prepare_failed', 'runtime_failed', 'stopped') "
     "ELSE word NOT IN ('preparing', 'connecting', 'running') END"},
    {"a project is played once at a time", "SELECT count(*) FROM runs WHERE kind = 'play'",
     "SELECT scope || ' is being played ' || count(*) || ' times' FROM runs "
     "WHERE kind = 'play' AND state < 3 GROUP BY scope HAVING count(*) > 1"},
    {"nothing outlives the play that started it",
     "SELECT count(*) FROM runs WHERE kind IN ('step', 'runtime')",
     "SELECT c.id || ' is active, and its play ' || c.parent_run_id || ' is not' FROM runs c "
     "WHERE c.kind IN ('step', 'runtime') AND c.state < 3 AND NOT EXISTS "
     "(SELECT 1 FROM runs p WHERE p.id = c.parent_run_id AND p.state < 3)"},
});

// Of the log by scope. The same holds for a database that no daemon has opened since it is kept.
constexpr auto kKnowsScopes = "SELECT count(*) FROM pragma_table_info('spine_scopes')";
constexpr auto kScopeQuestions = std::to_array<Question>({
    {"an event is found by the scopes above its own",
     "SELECT count(*) FROM spine WHERE instr(scope, '/') > 0",
     "WITH RECURSIVE above (scope, seq, run_id) AS ("
     "SELECT rtrim(rtrim(scope, replace(scope, '/', '')), '/'), seq, run_id FROM spine "
     "WHERE instr(scope, '/') > 0 UNION ALL "
     "SELECT rtrim(rtrim(scope, replace(scope, '/', '')), '/'), seq, run_id FROM above "
     "WHERE instr(scope, '/') > 0) "
     "SELECT a.run_id || ': event ' || a.seq || ' is not found by the scope ' || a.scope "
     "FROM above a WHERE a.scope != 'default' AND NOT EXISTS "
     "(SELECT 1 FROM spine_scopes s WHERE s.scope = a.scope AND s.seq = a.seq)"},
});

Result<Check> ask(store::sqlite::Database& database, const Question& question) {
  Check check{.promise = std::string(question.promise)};
  const auto count = database.integer(question.count);
  if (!count) return std::unexpected(count.error());
  check.looked_at = *count;
  auto statement = database.prepare(question.broken);
  if (!statement) return std::unexpected(statement.error());
  auto asked = statement->each([&](const store::sqlite::Row& row) {
    ++check.problem_count;
    if (check.problems.size() < kProblemsMax) check.problems.emplace_back(row.text(0));
  });
  if (!asked) return std::unexpected(asked.error());
  return check;
}

}  // namespace

Result<std::vector<Check>> check_spine(store::sqlite::Database& database) {
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
  // One transaction, so that all questions are about the same moment.
  if (auto begun = database.execute("BEGIN"); !begun) return std::unexpected(begun.error());
  const auto knows_plays = database.integer(kKnowsPlays);
  if (!knows_plays) return std::unexpected(knows_plays.error());
  std::vector<Question> questions(kQuestions.begin(), kQuestions.end());
  if (*knows_plays != 0) std::ranges::copy(kPlayQuestions, std::back_inserter(questions));
  const auto knows_scopes = database.integer(kKnowsScopes);
  if (!knows_scopes) return std::unexpected(knows_scopes.error());
  if (*knows_scopes != 0) std::ranges::copy(kScopeQuestions, std::back_inserter(questions));
  for (const Question& question : questions) {
    auto check = ask(database, question);
    if (!check) return std::unexpected(check.error());
    checks.push_back(std::move(*check));
  }
  if (auto done = database.execute("COMMIT"); !done) return std::unexpected(done.error());
  return checks;
}

}  // namespace drover::doctor
