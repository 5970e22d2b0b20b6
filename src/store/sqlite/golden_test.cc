// A database of every earlier schema still opens, with the same contents.
#include <algorithm>
#include <boost/json/serialize.hpp>
#include <filesystem>
#include <limits>
#include <map>

#include "run/event_data.h"
#include "run/permanent_status.h"
#include "store/sqlite/database.h"
#include "store/sqlite/schema.h"
#include "store/sqlite/sqlite_store.h"
#include "store/store_contract.h"
#include "testing/breaking_disk.h"
#include "testing/directory.h"
#include "testing/kinds.h"

namespace drover::store {
namespace {

std::map<std::string, std::string> shape_of(const std::string& path) {
  auto database = must(sqlite::Database::open(path, {}));
  auto ask = must(database.prepare("SELECT name, ifnull(sql, '') FROM sqlite_schema"));
  std::map<std::string, std::string> shape;
  EXPECT_TRUE(
      ask.each([&](const sqlite::Row& row) { shape[std::string(row.text(0))] = row.text(1); }));
  return shape;
}

// Each table's rows, as text, sorted. A column that a migration adds comes last.
std::map<std::string, std::vector<std::string>> rows_of(const std::string& path) {
  auto database = must(sqlite::Database::open(path, {}));
  std::map<std::string, std::vector<std::string>> rows;
  for (const auto& [table, sql] : shape_of(path)) {
    if (!sql.starts_with("CREATE TABLE")) continue;
    auto ask = must(database.prepare("SELECT * FROM " + table));
    EXPECT_TRUE(ask.each([&](const sqlite::Row& row) {
      std::string text;
      for (int i = 0; i < sqlite3_column_count(ask.raw()); ++i) {
        text.append(row.is_null(i) ? "-" : row.text(i)) += '|';
      }
      rows[table].push_back(std::move(text));
    }));
    std::ranges::sort(rows[table]);
  }
  return rows;
}

class Golden : public ::testing::TestWithParam<int> {
 protected:
  void SetUp() override {
    path = directory.file("drover.db");
    std::filesystem::copy_file(
        std::string(DROVER_OLD) + "/schema-" + std::to_string(GetParam()) + ".db", path);
  }
  run::Record named(Store& store, const std::string& name) {
    for (const run::Record& r : must(store.list({}))) {
      if (r.name == name) return r;
    }
    throw std::runtime_error("no run is named " + name);
  }

  testing::TestDirectory directory;
  std::string path;
  testing::ManualClock clock;
};

// Records, evidence, lanes and keys of an old database can be read and continued.
TEST_P(Golden, StillOpens) {
  auto store = must(SqliteStore::open(path, clock));
  EXPECT_EQ(must(store->list({})).size(), 4u);
  const run::Record completed = named(*store, "completed");
  EXPECT_EQ(completed.state, run::State::completed);
  EXPECT_EQ(completed.labels, (std::map<std::string, std::string>{{"team", "core"}}));
  EXPECT_EQ(completed.command, (std::vector<std::string>{"make", "test"}));
  EXPECT_EQ(must(store->list({.labels = {{"team", "core"}}})).size(), 1u);
  const run::Record failed = named(*store, "failed");
  EXPECT_EQ(failed.exit_code, 3);
  EXPECT_EQ(failed.reason, run::Reason::exit_nonzero);
  EXPECT_NE(failed.receipt.find("4711 sleep"), std::string::npos);
  EXPECT_EQ(must(store->list({.scope = "world"})).size(), 1u);
  EXPECT_TRUE(named(*store, "running").cancel_requested);
  // Since schema 6 the event log is read by scope, including older events.
  for (const char* scope : {"world", "world/chat"}) {
    const auto events = must(store->events({.scope = scope}));
    ASSERT_EQ(events.size(), 4u) << scope;
    for (const run::Event& event : events) EXPECT_EQ(event.run_id, failed.id);
  }

  // The deleted run still has its evidence (H4).
  for (const run::Event& event : must(store->events({}))) {
    if (event.type == "run.deleted") EXPECT_TRUE(must(store->final_event(event.run_id)));
  }
  // The lane is full; when its run finishes, the waiting one can start.
  const RunId waiting = named(*store, "queued").id;
  EXPECT_EQ(reason_of(write_to(*store, run::Fact(run::Claimed{waiting}))), "lane_full");
  run::Ended ended;
  ended.id = named(*store, "running").id;
  ended.ending = run::Exited{0};
  must(write_to(*store, run::Fact(ended)));
  must(write_to(*store, run::Fact(run::Claimed{waiting})));

  run::Record again = completed;
  again.id = IdMaker(clock).next();
  again.state = run::State::queued;
  EXPECT_TRUE(
      must(write_to(*store, run::Fact(run::Submitted{again, "key-1", "digest-1"}))).replayed);
}

// R16, R17: the additions of schema 2 are read as written.
TEST_P(Golden, KeepsItsPlans) {
  if (GetParam() < 2) return;
  auto store = must(SqliteStore::open(path, clock));
  const run::Record queued = named(*store, "queued");
  EXPECT_EQ(queued.priority, 7);
  EXPECT_EQ(queued.after_any, std::vector{named(*store, "completed").id});
  const run::Record failed = named(*store, "failed");
  EXPECT_EQ(failed.retry, (run::Retry{.max = 1, .backoff_ms = 1'000, .on = {run::State::failed}}));
  EXPECT_EQ(failed.attempt, 2);
  EXPECT_EQ(must(store->list({.chain = failed.id.str()})).size(), 1u);
  for (const Lane& lane : must(store->lanes())) {
    EXPECT_EQ(lane.paused_at, lane.name == "apps" ? 1'790'000'000'070 : 0);
    EXPECT_EQ(lane.draining_at, lane.name == "builds" ? 1'790'000'000'071 : 0);
  }
}

// Every row of every table of an old database is still there, above all those of rooms.
TEST_P(Golden, LosesNoRow) {
  const auto before = rows_of(path);
  (void)must(SqliteStore::open(path, clock));
  const auto after = rows_of(path);
  for (const auto& [table, rows] : before) {
    for (const std::string& row : rows) {
      EXPECT_TRUE(std::ranges::any_of(after.at(table),
                                      [&](const std::string& now) { return now.starts_with(row); }))
          << table << ": " << row;
    }
  }
}

// A migration that the disk interrupts, at any call, is completed at the next opening, and nothing
// is lost or done twice.
TEST_P(Golden, IsMigratedAfterEveryBrokenCall) {
  const testing::TestDirectory memory(testing::DirectoryPlace::memory);
  const std::string copy = memory.file("drover.db");
  const auto reset = [&] {
    for (const char* end : {"", "-wal", "-shm"}) std::filesystem::remove(copy + end);
    std::filesystem::copy_file(path, copy);
  };
  sqlite::Options options = testing::with_tours();
  reset();
  (void)must(SqliteStore::open(copy, clock, options));
  const auto whole = rows_of(copy);
  const auto shape = shape_of(copy);
  options.vfs = testing::BreakingDisk::kName;
  int n = 1;
  for (bool broke = true; broke && !HasFailure(); n += testing::kStride) {
    reset();
    testing::BreakingDisk::repair();
    testing::BreakingDisk::break_call(n, testing::Fault::io_error,
                                      testing::FaultDuration::until_repaired);
    (void)SqliteStore::open(copy, clock, options);
    broke = testing::BreakingDisk::broke();
    testing::BreakingDisk::repair();
    (void)must(SqliteStore::open(copy, clock, options));
    EXPECT_EQ(rows_of(copy), whole) << "call " << n;
    EXPECT_EQ(shape_of(copy), shape) << "call " << n;
  }
  EXPECT_GT(n, 10);
}

// Since schema 7 the event log is about more than runs.
TEST_P(Golden, KeepsItsSubjects) {
  auto store = must(SqliteStore::open(path, clock));
  for (const run::Event& event : must(store->events({.about = "run"}))) {
    EXPECT_TRUE(event.is_of_run());
  }
  const auto lanes = must(store->events({.about = "lane"}));
  ASSERT_EQ(lanes.size(), GetParam() < 7 ? 0u : 1u);
  for (const run::Event& event : lanes) EXPECT_EQ(event.subject(), "lane/builds");
  must(write_to(*store, LaneSet{.name = "builds", .limit = 5}));
  EXPECT_EQ(must(store->events({.about = "lane"})).back().run_seq, GetParam() < 7 ? 1 : 2);
}

// H4: a run that was removed long ago is compacted, and still resolves as before.
TEST_P(Golden, CompactsItsRemovedRuns) {
  auto store = must(SqliteStore::open(path, clock));
  const auto status = [&](const RunId& id) {
    run::PermanentStatus status;
    for (const run::Event& event : must(store->events({.run = id}))) status.see(event);
    return boost::json::serialize(status.describe({}));
  };
  RunId removed;
  for (const run::Event& event : must(store->events({}))) {
    if (event.type == "run.deleted") removed = event.run_id;
  }
  const std::string before = status(removed);
  const StoreSizes old = must(store->sizes());
  const Compaction all{.before = std::numeric_limits<WallMs>::max()};
  EXPECT_EQ(must(write_to(*store, all)).compacted.removed, 1);
  EXPECT_EQ(status(removed), before);
  const StoreSizes now = must(store->sizes());
  EXPECT_EQ(now.events, old.events - 5);
  EXPECT_EQ(now.evidence, old.evidence + 1);
}

// Since a later schema, evidence is read as written.
TEST_P(Golden, KeepsItsEvidence) {
  auto store = must(SqliteStore::open(path, clock));
  const auto end = must(store->final_event(*RunId::parse("run_01m3250tzzzzzzzzzzzzzzzzzz")));
  ASSERT_EQ(end.has_value(), must(store->sizes()).evidence > 0);
  if (!end) return;
  EXPECT_EQ(end->type, "run.failed");
  EXPECT_EQ(end->time, 1'790'000'000'004);
  EXPECT_EQ(end->trace_id, "0123456789abcdef0123456789abcdef");
  EXPECT_EQ(end->scope, "world/chat");
  const run::Record record = run::record_of(*end);
  EXPECT_EQ(record.exit_code, 7);
  EXPECT_EQ(record.started_at, 1'790'000'000'003);
  EXPECT_EQ(record.stdout_bytes, 12);
  EXPECT_EQ(record.message, "exited with code 7");
}

// A migrated old database has the same schema as a new one: so no released migration was edited.
TEST_P(Golden, HasTheShapeOfANewOne) {
  (void)must(SqliteStore::open(path, clock));
  const std::string fresh = directory.file("fresh.db");
  (void)must(SqliteStore::open(fresh, clock));
  EXPECT_EQ(shape_of(path), shape_of(fresh));
}

INSTANTIATE_TEST_SUITE_P(Schemas, Golden,
                         ::testing::Range(1, static_cast<int>(sqlite::schema_version()) + 1));

}  // namespace
}  // namespace drover::store
