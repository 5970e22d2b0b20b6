#include "store/sqlite/compactor.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/crash_point.h"
#include "base/limits.h"
#include "run/remains.h"
#include "store/scopes.h"
#include "store/sqlite/fixed_sql.h"
#include "store/sqlite/remains_row.h"
#include "store/sqlite/rows.h"

namespace drover::store::sqlite {
namespace {

constexpr std::string_view kScanned = "scanned_through";
constexpr std::string_view kCompacted = "compacted_through";
constexpr std::string_view kSteps = "compaction_steps";
constexpr std::string_view kEvidenceRows = "evidence_rows";  // Counting them would take seconds.
constexpr std::string_view kEvidenceRemoved = "evidence_removed";  // For `doctor --verify`.

}  // namespace

Result<> Compactor::prepare(Database& database) {
  database_ = &database;
  const std::pair<Statement*, std::string> all[] = {
      {&sql_.mark, fixed_sql::kMark},
      {&sql_.set_mark,
       "INSERT INTO marks (name, value) VALUES (?1, ?2) "
       "ON CONFLICT (name) DO UPDATE SET value = excluded.value"},
      {&sql_.last_seq, fixed_sql::kLastSeq},
      {&sql_.scan, fixed_sql::kScan},
      {&sql_.events_of, fmt::format("SELECT {}{}", kEventColumns, fixed_sql::kEventsOfRun)},
      {&sql_.stored, fixed_sql::kStored},
      {&sql_.forget_subject, fixed_sql::kForgetSubject},
      {&sql_.forget_seq, "DELETE FROM spine WHERE seq = ?1"},
      {&sql_.forget_scope, "DELETE FROM spine_scopes WHERE scope = ?1 AND seq = ?2"},
      {&sql_.knows, fixed_sql::kEvidenceExists},
      {&sql_.parent, fixed_sql::kParentInEvidence},
      {&sql_.next_subject, fixed_sql::kNextSubject},
      {&sql_.count_sort, fixed_sql::kCountSort},
      {&sql_.sort_events, fixed_sql::kOldestOfSort},
      {&sql_.keys, fixed_sql::kNextKeys},
      {&sql_.forget_key, "DELETE FROM idempotency WHERE scope = ?1 AND key = ?2"},
      {&sql_.forget_evidence, fixed_sql::kForgetEvidence},
  };
  for (const auto& [statement, sql] : all) {
    auto prepared = database.prepare(sql);
    if (!prepared) return std::unexpected(prepared.error());
    *statement = std::move(*prepared);
  }
  auto insert = prepare_insert_remains(database);
  if (!insert) return std::unexpected(insert.error());
  sql_.insert = std::move(*insert);
  auto newest = database.prepare("SELECT ifnull(max(id), '') FROM evidence");
  if (!newest) return std::unexpected(newest.error());
  return newest->each([&](const Row& row) { newest_ = row.text(0); });
}

Result<Compacted> Compactor::step(const Compaction& wish) {
  const std::int64_t before = sqlite3_total_changes64(database_->raw());
  auto done = carry_out(wish);
  if (!done || sqlite3_total_changes64(database_->raw()) == before) return done;
  const auto steps = mark(kSteps);
  if (!steps) return std::unexpected(steps.error());
  done->step = *steps + 1;
  if (auto ok = set_mark(kSteps, done->step); !ok) return std::unexpected(ok.error());
  return done;
}

Result<bool> Compactor::landed(std::int64_t step) {
  const auto steps = mark(kSteps);
  if (!steps) return std::unexpected(steps.error());
  return *steps >= step;
}

Result<Compacted> Compactor::carry_out(const Compaction& wish) {
  switch (wish.what) {
    case Compacts::removed_runs:
      return compact_removed_runs(wish);
    case Compacts::other_events:
      return compact_other_events(wish);
    case Compacts::keys:
      return compact_keys(wish);
    case Compacts::evidence:
      return compact_evidence(wish);
  }
  std::unreachable();
}

Result<bool> Compactor::knows(const RunId& id) {
  if (id.view() > newest_) return false;
  bool known = false;
  auto asked = sql_.knows.each([&](const Row&) { known = true; }, id.view());
  if (!asked) return std::unexpected(asked.error());
  return known;
}

Result<Compacted> Compactor::compact_removed_runs(const Compaction& wish) {
  const auto from = mark(kScanned);
  if (!from) return std::unexpected(from.error());
  const auto end = end_of(wish);
  if (!end) return std::unexpected(end.error());
  std::vector<std::string> removed;
  std::int64_t looks = 0;
  std::int64_t at = *from;
  bool young = false;  // The next removal is too recent.
  auto scanned = sql_.scan.each(
      [&](const Row& row) {
        ++looks;
        if (row.text(2) == run::name(run::EventType::deleted)) {
          young = row.integer(3) >= wish.before;
          if (young) return false;
          removed.emplace_back(row.text(1));
        }
        at = row.integer(0);
        return static_cast<std::int64_t>(removed.size()) < limits::kCompactedRunsMax;
      },
      *from, *end, limits::kCompactionLooksMax);
  if (!scanned) return std::unexpected(scanned.error());
  Compacted done;
  done.more = !young && (looks == limits::kCompactionLooksMax ||
                         static_cast<std::int64_t>(removed.size()) == limits::kCompactedRunsMax);
  if (!done.more && !young) at = std::max(at, *end);
  for (const std::string& id : removed) {
    const auto compacted = compact_run(id);
    if (!compacted) return std::unexpected(compacted.error());
    ++(*compacted ? done.removed : done.kept);
    crash_point("compact.part_written");
  }
  if (auto ok = count_evidence(done.removed); !ok) return std::unexpected(ok.error());
  if (at != *from) {
    if (auto ok = set_mark(kScanned, at); !ok) return std::unexpected(ok.error());
  }
  return done;
}

Result<bool> Compactor::compact_run(std::string_view id) {
  const auto stored = is_stored(id);
  if (!stored) return std::unexpected(stored.error());
  std::vector<run::Event> events;
  bool readable = !*stored;
  auto read = sql_.events_of.each(
      [&](const Row& row) {
        auto event = read_event(row);
        readable = readable && event;
        if (event) events.push_back(std::move(*event));
      },
      id);
  if (!read) return std::unexpected(read.error());
  const auto remains = readable ? run::remains_of(events) : std::nullopt;
  if (!remains) return false;
  if (auto ok = insert_remains(sql_.insert, *remains); !ok) return std::unexpected(ok.error());
  newest_ = std::max(newest_, std::string(id));
  std::int64_t last = 0;
  for (const run::Event& event : events) {
    if (auto ok = forget_event(event); !ok) return std::unexpected(ok.error());
    last = std::max(last, event.seq);
  }
  if (auto ok = sql_.forget_subject.run(id); !ok) return std::unexpected(ok.error());
  if (auto ok = passed(last); !ok) return std::unexpected(ok.error());
  return true;
}

Result<Compacted> Compactor::compact_other_events(const Compaction& wish) {
  const auto end = end_of(wish);
  if (!end) return std::unexpected(end.error());
  Compacted done;
  std::string from;
  while (done.removed < limits::kCompactionLooksMax) {
    std::string subject;
    auto asked = sql_.next_subject.each([&](const Row& row) { subject = row.text(0); }, from);
    if (!asked) return std::unexpected(asked.error());
    if (subject.empty()) return done;
    const size_t slash = subject.find('/');
    if (slash == std::string::npos) {
      from = std::string(RunId::kPrefix) + "~";  // Past the ids of all runs.
      continue;
    }
    const std::string sort = subject.substr(0, slash);
    from = end_below(sort);
    const auto removed = compact_sort(sort, wish, *end, limits::kCompactionLooksMax - done.removed);
    if (!removed) return std::unexpected(removed.error());
    done.removed += *removed;
  }
  done.more = true;
  return done;
}

Result<std::int64_t> Compactor::compact_sort(const std::string& sort, const Compaction& wish,
                                             std::int64_t end, std::int64_t most) {
  std::int64_t count = 0;
  const std::string first = first_below(sort);
  const std::string last = end_below(sort);
  auto counted = sql_.count_sort.each([&](const Row& row) { count = row.integer(0); }, first, last);
  if (!counted) return std::unexpected(counted.error());
  if (count <= wish.keep) return 0;
  std::vector<run::Event> surplus;
  auto read = sql_.sort_events.each(
      [&](const Row& row) {
        if (row.integer(0) > end || row.integer(1) >= wish.before) return false;
        run::Event& event = surplus.emplace_back();
        event.seq = row.integer(0);
        event.scope = row.text(2);
        return true;
      },
      first, last, std::min(most, count - wish.keep));
  if (!read) return std::unexpected(read.error());
  for (const run::Event& event : surplus) {
    if (auto ok = forget_event(event); !ok) return std::unexpected(ok.error());
    if (auto ok = sql_.forget_seq.run(event.seq); !ok) return std::unexpected(ok.error());
  }
  if (!surplus.empty()) {
    if (auto ok = passed(surplus.back().seq); !ok) return std::unexpected(ok.error());
  }
  return static_cast<std::int64_t>(surplus.size());
}

// A round passes all keys once, in their order; the next step after the last key starts again.
Result<Compacted> Compactor::compact_keys(const Compaction& wish) {
  struct Key {
    std::string scope, key, run;
  };
  std::vector<Key> old;
  std::int64_t looks = 0;
  auto read = sql_.keys.each(
      [&](const Row& row) {
        ++looks;
        keys_scope_ = row.text(0);
        keys_key_ = row.text(1);
        const auto id = RunId::parse(row.text(2));
        if (id && id->time() < wish.before) old.push_back({keys_scope_, keys_key_, id->str()});
      },
      std::string(keys_scope_), std::string(keys_key_), limits::kCompactionLooksMax);
  if (!read) return std::unexpected(read.error());
  Compacted done{.more = looks == limits::kCompactionLooksMax};
  if (!done.more) {
    keys_scope_.clear();
    keys_key_.clear();
  }
  for (const Key& key : old) {
    const auto needed = is_needed(key.run);
    if (!needed) return std::unexpected(needed.error());
    if (*needed) continue;
    if (auto ok = sql_.forget_key.run(key.scope, key.key); !ok) {
      return std::unexpected(ok.error());
    }
    ++done.removed;
  }
  return done;
}

Result<Compacted> Compactor::compact_evidence(const Compaction& wish) {
  const std::int64_t before = sqlite3_total_changes64(database_->raw());
  auto ok = sql_.forget_evidence.run(RunId::earliest(wish.before).view(), wish.before,
                                     limits::kCompactionLooksMax);
  if (!ok) return std::unexpected(ok.error());
  Compacted done{.removed = sqlite3_total_changes64(database_->raw()) - before};
  done.more = done.removed == limits::kCompactionLooksMax;
  if (done.removed == 0) return done;
  if (auto counted = count_evidence(-done.removed); !counted) {
    return std::unexpected(counted.error());
  }
  if (auto marked = set_mark(kEvidenceRemoved, 1); !marked) {
    return std::unexpected(marked.error());
  }
  return done;
}

Result<std::int64_t> Compactor::end_of(const Compaction& wish) {
  std::int64_t last = 0;
  auto asked = sql_.last_seq.each([&](const Row& row) { last = row.integer(0); });
  if (!asked) return std::unexpected(asked.error());
  return std::min(wish.through, last - 1);
}

Result<bool> Compactor::is_stored(std::string_view run) {
  bool stored = false;
  auto asked = sql_.stored.each([&](const Row&) { stored = true; }, run);
  if (!asked) return std::unexpected(asked.error());
  return stored;
}

// A composite that is started again asks for its parts by their keys: while it is stored, a part
// that somebody deleted must not run a second time.
Result<bool> Compactor::is_needed(std::string_view run) {
  const auto stored = is_stored(run);
  if (!stored || *stored) return stored;
  std::string parent;
  bool compacted = false;
  auto asked = sql_.parent.each(
      [&](const Row& row) {
        compacted = true;
        parent = row.text(0);
      },
      run);
  if (!asked) return std::unexpected(asked.error());
  // Its events are still there: they are compacted first.
  if (!compacted) {
    bool has_events = false;
    auto read = sql_.events_of.each(
        [&](const Row&) {
          has_events = true;
          return false;
        },
        run);
    if (!read) return std::unexpected(read.error());
    return has_events;
  }
  return parent.empty() ? Result<bool>(false) : is_stored(parent);
}

Result<> Compactor::forget_event(const run::Event& event) {
  for (const std::string_view scope : scopes_above(event.scope)) {
    if (scope == kCommonScope) continue;
    if (auto ok = sql_.forget_scope.run(scope, event.seq); !ok) return ok;
  }
  return {};
}

Result<std::int64_t> Compactor::mark(std::string_view name) {
  std::int64_t value = 0;
  auto asked = sql_.mark.each([&](const Row& row) { value = row.integer(0); }, name);
  if (!asked) return std::unexpected(asked.error());
  return value;
}

Result<> Compactor::set_mark(std::string_view name, std::int64_t value) {
  return sql_.set_mark.run(name, value);
}

Result<> Compactor::count_evidence(std::int64_t more) {
  if (more == 0) return {};
  const auto rows = mark(kEvidenceRows);
  if (!rows) return std::unexpected(rows.error());
  return set_mark(kEvidenceRows, *rows + more);
}

Result<> Compactor::passed(std::int64_t seq) {
  const auto through = mark(kCompacted);
  if (!through) return std::unexpected(through.error());
  return seq > *through ? set_mark(kCompacted, seq) : Result<>{};
}

}  // namespace drover::store::sqlite
