// A whole life is a list of writes that covers everything that can happen to a store: runs that are
// submitted, wait, start, finish, are canceled, refused, deleted and pruned; plans; lanes that are
// set and removed; keys that are used twice; a composite and its child; and the Works of a room
// with a table (testing/kinds.h). The list is always the same, to the last stored byte. So whatever
// breaks on the way, a store that has received k of the writes must contain exactly what an
// unbroken store contains after k. Tests only.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "store/sqlite/database.h"
#include "store/sqlite/sqlite_store.h"
#include "store/store_contract.h"
#include "testing/directory.h"
#include "testing/kinds.h"

namespace drover::store {

class WholeLife {
 public:
  WholeLife() {
    const run::Record a = draft("default"), b = draft("narrow"), c = draft("narrow");
    const run::Record d = draft("solo"), e = draft("solo");
    add(run::Submitted{a, "key", "digest"});
    add(run::Submitted{b, "", ""});
    add(run::Submitted{c, "", ""});  // Waits: a new lane has one slot.
    add(run::Started{a.id, 1'000});
    add(run::Submitted{draft("default"), "key", "digest"});  // A repetition: returns the first run.
    steps.emplace_back(LaneSet{"narrow", 2});
    add(run::Claimed{c.id});
    add(run::Started{c.id, 2'000});
    add(run::CancelRequested{c.id});
    add(ended(a.id, run::Exited{0}));
    add(ended(c.id, run::Killed{15, false}));
    add(run::Started{a.id, 3'000});  // Refused: it has finished.
    add(run::Submitted{d, "", ""});
    add(run::Submitted{e, "key-2", "digest"});
    add(run::CancelRequested{e.id});  // Never spawns.
    add(run::Deleted{a.id});
    add(ended(b.id, run::Unknown{run::Reason::keeper_lost}));
    add(run::Deleted{c.id});
    add(ended(d.id, run::Exited{3}));  // Its start is recorded with its finish.
    add(run::Deleted{b.id});
    make_plans();
  }

  // Sends the write with that number. Time advances with each new write, not with a repetition.
  Result<Written> send(Store& store, size_t number) {
    const auto due = kBegin + static_cast<WallMs>(number) * 1'000;
    if (clock.wall_ms() < due) clock.advance_ms(due - clock.wall_ms());
    return write_to(store, steps[number]);
  }

  testing::ManualClock clock{kBegin};
  std::vector<Write> steps;

 private:
  static constexpr WallMs kBegin = 1'800'000'000'000;

  // Lanes that are paused and removed, runs that wait, are moved and are retried.
  void make_plans() {
    run::Record first = draft("plans"), waiting = draft("plans");
    first.retry.max = 1;
    first.chain = first.id.str();
    waiting.after = {first.id};
    const RunId second = draft("plans").id;
    run::Ended failed = ended(first.id, run::Exited{1});
    failed.next = second;
    add(run::Submitted{first, "", ""});
    add(run::Submitted{waiting, "", ""});
    add(run::Moved{waiting.id, "elsewhere", 3});
    steps.emplace_back(LaneSet{.name = "plans", .paused = true});
    add(failed);  // With the next attempt.
    add(run::CancelRequested{second});
    add(run::Reviewed{waiting.id});  // It can never start.
    steps.emplace_back(LaneRemoved{"plans"});
    make_tour();
  }

  // A composite, and the table of a room. One Work writes a row, submits a leg, changes the phase
  // and appends an event; others are refused, or write nothing.
  void make_tour() {
    run::Record tour = draft(""), rival = draft(""), leg = draft("tours");
    tour.kind = rival.kind = testing::kTour;
    leg.kind = testing::kLeg;
    leg.parent_run_id = tour.id.str();
    add(run::Submitted{tour, "", ""});
    add(run::Submitted{rival, "", ""});  // Refused.
    steps.emplace_back(testing::visit("1", "alps"));
    steps.emplace_back(testing::visit("1", "coast"));  // Refused: the id exists.
    steps.emplace_back(Work([tour, leg](Transaction& t) -> Result<> {
      // The table refuses a repetition as a whole.
      auto added = t.execute("INSERT INTO visits (id, place, at) VALUES ($1, $2, $3)",
                             {"2", "coast", t.now()});
      if (!added) return added;
      auto submitted = t.record(run::Submitted{leg, "", ""});
      if (!submitted) return std::unexpected(submitted.error());
      auto advanced = t.record(run::PhaseChanged{.id = tour.id, .change = leg.id.str()});
      if (!advanced) return std::unexpected(advanced.error());
      return t.append({.subject = "visit/2", .type = "visit.paid", .scope = "tours"});
    }));
    steps.emplace_back(Work([](Transaction& t) -> Result<> {  // Refused, and undone.
      auto gone = t.execute("DELETE FROM visits", {});
      if (!gone) return gone;
      return fail(ErrorCode::conflict, "not_so", "not so");
    }));
    add(ended(leg.id, run::Exited{2}));
    add(run::PhaseChanged{
        .id = tour.id,
        .change = "home",
        .rest = {run::Happening::failed, run::Reason::exit_nonzero, run::Origin::process, 2, {}}});
    make_compaction();
  }

  // The removed runs are compacted, then the surplus of other events, an old key, old evidence.
  void make_compaction() {
    const WallMs later = kBegin + 86'400'000;
    steps.emplace_back(Compaction{.what = Compacts::removed_runs, .before = later});
    steps.emplace_back(Compaction{.what = Compacts::other_events, .before = later, .keep = 2});
    steps.emplace_back(Compaction{.what = Compacts::keys, .before = later});
    steps.emplace_back(Compaction{.what = Compacts::removed_runs, .before = later});  // Nothing.
    steps.emplace_back(Compaction{.what = Compacts::evidence, .before = kBegin + 1});
  }

  run::Record draft(const std::string& lane) {
    run::Record r;
    r.id = RunId::earliest(kBegin + drafts_++);
    r.trace_id = r.id.trace_id();
    r.kind = run::kCommand;
    r.scope = "world/" + lane;
    r.command = {"make", std::string(60, 'x')};  // To fill some pages.
    r.cwd = "/";
    r.labels = {{"lane", lane}};
    r.lane = lane;
    r.queued_at = kBegin;
    return r;
  }
  static run::Ended ended(const RunId& id, run::Ending ending) {
    run::Ended fact{.id = id, .ending = std::move(ending)};
    fact.started_at = 1'500;
    fact.finished_at = 4'000;
    return fact;
  }
  void add(run::Fact fact) { steps.emplace_back(std::move(fact)); }

  int drafts_ = 0;
};

// The contents of the database at `path`, and the results of its integrity checks. Read from
// outside the store.
inline std::string text_of(const std::string& path) {
  auto database =
      must(sqlite::Database::open(path, {.read_only = true, .keep_wal = true, .vfs = {}}));
  std::string text;
  const auto ask = [&](const std::string& sql) {
    auto statement = must(database.prepare(sql));
    const auto read = statement.each([&](const sqlite::Row& row) {
      for (int i = 0; i < sqlite3_column_count(statement.raw()); ++i) {
        text.append(row.is_null(i) ? "-" : row.text(i)) += ' ';
      }
      text += '\n';
    });
    if (!read) throw std::runtime_error(read.error().message);
  };
  ask("PRAGMA integrity_check");
  ask("PRAGMA foreign_key_check");
  std::vector<std::string> tables;  // Without the names of epochs, which are random.
  auto list = must(database.prepare(
      "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%' "
      "AND name != 'epochs'"));
  const auto listed = list.each([&](const sqlite::Row& row) { tables.emplace_back(row.text(0)); });
  if (!listed) throw std::runtime_error(listed.error().message);
  for (const std::string& table : tables) ask("SELECT * FROM " + table + " ORDER BY 1, 2");
  return text;
}

// For each k, the contents after the first k writes to an unbroken store.
inline const std::vector<std::string>& unbroken_texts() {
  static const std::vector<std::string> texts = [] {
    const testing::TestDirectory directory(testing::DirectoryPlace::memory);
    WholeLife life;
    const auto store =
        must(SqliteStore::open(directory.file("drover.db"), life.clock, testing::with_tours()));
    std::vector<std::string> list{text_of(directory.file("drover.db"))};
    for (size_t i = 0; i < life.steps.size(); ++i) {
      (void)life.send(*store, i);
      list.push_back(text_of(directory.file("drover.db")));
    }
    return list;
  }();
  return texts;
}

// A database that received at least `acknowledged` writes and at most `sent` must contain exactly
// those.
inline void expect_text(const std::string& text, size_t acknowledged, size_t sent,
                        const std::string& when) {
  const auto& texts = unbroken_texts();
  for (size_t k = acknowledged; k <= sent; ++k) {
    if (text == texts[k]) return;
  }
  const auto as = std::ranges::find(texts, text);
  ADD_FAILURE() << when << ": expected the contents after " << acknowledged << " to " << sent
                << " writes, got "
                << (as == texts.end() ? "contents that no sequence of writes produces:\n" + text
                                      : "those after " + std::to_string(as - texts.begin()));
}

}  // namespace drover::store
