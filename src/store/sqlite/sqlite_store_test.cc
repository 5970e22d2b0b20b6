// The duties of SqliteStore beyond the contract: stay the same across a restart, and refuse what it
// cannot read.
#include "store/sqlite/sqlite_store.h"

#include <sys/stat.h>

#include <fstream>
#include <latch>

#include "store/sqlite/database.h"
#include "store/sqlite/schema.h"
#include "store/store_contract.h"
#include "testing/directory.h"

namespace drover::store {
namespace {

class SqliteStoreTest : public ::testing::Test {
 protected:
  Result<std::unique_ptr<SqliteStore>> open() { return SqliteStore::open(path, clock); }

  run::Record draft() {
    run::Record r;
    r.id = ids.next();
    r.trace_id = r.id.trace_id();
    r.kind = "command";
    r.scope = "a/b";
    r.command = {"true"};
    r.labels = {{"k", "v"}};
    r.lane = "new";
    r.queued_at = clock.wall_ms();
    return r;
  }
  void spoil(const std::string& sql) {
    auto database = must(sqlite::Database::open(path, {}));
    ASSERT_TRUE(database.execute(sql));
  }
  std::string bytes() const {
    std::ifstream in(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
  }

  testing::TestDirectory directory;
  std::string path = directory.file("drover.db");
  testing::ManualClock clock;
  IdMaker ids{clock};
};

// H1: acknowledged writes are there after a restart, and the numbers continue.
TEST_F(SqliteStoreTest, KeepsEverythingAcrossARestart) {
  const run::Record first = draft();
  std::int64_t seq = 0;
  {
    auto store = must(open());
    must(write_to(*store, run::Fact(run::Submitted{first, "key", "digest"})));
    must(write_to(*store, LaneSet{"new", 7}));
    run::Ended ended;
    ended.id = first.id;
    ended.ending = run::Exited{4};
    must(write_to(*store, run::Fact(ended)));
    seq = must(store->last_seq());
  }
  auto store = must(open());
  const auto kept = must(store->find(first.id));
  ASSERT_TRUE(kept);
  EXPECT_EQ(kept->state, run::State::failed);
  EXPECT_EQ(kept->labels, first.labels);
  EXPECT_EQ(must(store->last_seq()), seq);
  EXPECT_EQ(must(store->list({.labels = {{"k", "v"}}})).size(), 1u);
  EXPECT_EQ(must(store->list({.scope = "a"})).size(), 1u);
  const auto again = must(write_to(*store, run::Fact(run::Submitted{draft(), "key", "digest"})));
  EXPECT_TRUE(again.replayed);
  const auto next = must(write_to(*store, run::Fact(run::Submitted{draft(), "", ""})));
  EXPECT_EQ(next.events[0].seq, seq + 1);
  EXPECT_GT(next.record.number, kept->number);
  bool found = false;
  for (const Lane& lane : must(store->lanes())) {
    if (lane.name == "new") found = lane.limit == 7 && lane.active == 1;
  }
  EXPECT_TRUE(found);
}

// Records are private: so are the files, whatever the umask.
TEST_F(SqliteStoreTest, KeepsItsFilesPrivate) {
  const mode_t before = ::umask(0);
  auto store = must(open());
  must(write_to(*store, run::Fact(run::Submitted{draft(), "", ""})));
  ::umask(before);
  for (const char* suffix : {"", "-wal", "-shm"}) {
    struct stat info = {};
    ASSERT_EQ(::stat((path + suffix).c_str(), &info), 0) << suffix;
    EXPECT_EQ(info.st_mode & 0777, 0600u) << suffix;
  }
}

// Every queued write is written and answered before the store is destroyed.
TEST_F(SqliteStoreTest, WritesEverythingQueuedBeforeItCloses) {
  int told = 0;
  {
    auto store = must(open());
    for (int i = 0; i < 300; ++i) {
      store->write(run::Fact(run::Submitted{draft(), "", ""}), [&](Result<Written> answer) {
        EXPECT_TRUE(answer);
        ++told;
      });
    }
  }
  EXPECT_EQ(told, 300);
  EXPECT_EQ(must(must(open())->list({.limit = 1000})).size(), 300u);
}

// A full queue refuses at once, and the accepted writes are still written.
TEST_F(SqliteStoreTest, BoundsTheWriteQueue) {
  sqlite::Options options;
  options.write_queue_max = 2;
  auto store = must(SqliteStore::open(path, clock, options));
  std::latch busy(1);
  std::latch release(1);
  store->write(LaneSet{"a", 1}, [&](Result<Written>) {
    busy.count_down();
    release.wait();  // Blocks the writer's thread, so nothing leaves the queue.
  });
  busy.wait();
  std::latch taken(2);
  for (int i = 0; i < 2; ++i) {
    store->write(LaneSet{"b", 1}, [&](Result<Written> answer) {
      EXPECT_TRUE(answer);
      taken.count_down();
    });
  }
  std::string reason;
  store->write(LaneSet{"c", 1}, [&](Result<Written> answer) { reason = reason_of(answer); });
  EXPECT_EQ(reason, "write_queue_full");
  release.count_down();
  taken.wait();
}

// A database of a newer Drover is refused, with both versions, and not changed.
TEST_F(SqliteStoreTest, RefusesANewerSchema) {
  (void)must(open());
  spoil("PRAGMA user_version = 99");
  const std::string before = bytes();
  const auto refused = open();
  ASSERT_EQ(reason_of(refused), "database_newer");
  EXPECT_NE(refused.error().message.find("99"), std::string::npos);
  EXPECT_NE(refused.error().message.find(std::to_string(sqlite::schema_version())),
            std::string::npos);
  EXPECT_EQ(bytes(), before);
}

// A file that is not a database, or a damaged one, is reported and never replaced.
TEST_F(SqliteStoreTest, ReportsAnUnreadableFile) {
  std::ofstream(path) << "these are somebody's notes, not a database";
  std::string before = bytes();
  auto refused = open();
  EXPECT_EQ(reason_of(refused), "database_corrupt");
  EXPECT_EQ(refused.error().code, ErrorCode::corrupt);
  EXPECT_EQ(bytes(), before);

  ASSERT_EQ(::unlink(path.c_str()), 0);
  (void)must(open());
  {
    std::fstream file(path, std::ios::binary | std::ios::in | std::ios::out);
    file.seekp(100);
    file << std::string(4000, 'x');  // The first page: the list of tables.
  }
  before = bytes();
  EXPECT_EQ(reason_of(open()), "database_corrupt");
  EXPECT_EQ(bytes(), before);
}

// Damage further inside is found when it is read, and reported as such.
TEST_F(SqliteStoreTest, ReportsDamageWhereItIsRead) {
  (void)must(open());
  spoil("PRAGMA writable_schema = ON; PRAGMA wal_checkpoint(TRUNCATE);");
  {
    const auto size = bytes().size();
    std::fstream file(path, std::ios::binary | std::ios::in | std::ios::out);
    file.seekp(4096);
    file << std::string(size - 4096, 'x');  // Everything but the list of tables.
  }
  auto store = open();
  if (store) {
    EXPECT_EQ(reason_of((*store)->list({})), "database_corrupt");
  } else {
    EXPECT_EQ(reason_of(store), "database_corrupt");
  }
}

// A database of another program is refused and not changed.
TEST_F(SqliteStoreTest, RefusesAForeignDatabase) {
  spoil("CREATE TABLE recipes (name TEXT)");
  EXPECT_EQ(reason_of(open()), "database_foreign");
}

// A missing directory is an error of the system, with the path.
TEST_F(SqliteStoreTest, NamesThePathItCannotOpen) {
  const auto refused = SqliteStore::open(directory.file("missing/drover.db"), clock);
  ASSERT_FALSE(refused);
  EXPECT_NE(refused.error().message.find("missing/drover.db"), std::string::npos);
}

// H7: the first finish wins by a constraint, not by a check: a second one is refused even to a
// program that bypasses Drover.
TEST_F(SqliteStoreTest, CannotStoreTwoFinishes) {
  const run::Record r = draft();
  {
    auto store = must(open());
    must(write_to(*store, run::Fact(run::Submitted{r, "", ""})));
    must(write_to(*store, run::Fact(run::CancelRequested{r.id})));
    run::Ended ended;
    ended.id = r.id;
    ended.ending = run::Exited{0};
    must(write_to(*store, run::Fact(ended)));
  }
  auto database = must(sqlite::Database::open(path, {}));
  const auto second = database.execute(
      "INSERT INTO spine (subject, run_seq, type, time, trace_id, scope, terminal, data) "
      "SELECT subject, 99, 'run.failed', time, trace_id, scope, terminal, data FROM spine "
      "WHERE terminal");
  EXPECT_EQ(reason_of(second), "already_recorded");
  EXPECT_NE(second.error().message.find("UNIQUE"), std::string::npos);
}

// A fact that a constraint refuses halfway leaves nothing behind. (Row and event log disagree here,
// which only another program can cause.)
TEST_F(SqliteStoreTest, UndoesAFactThatIsRefusedHalfway) {
  const run::Record r = draft();
  auto store = must(open());
  must(write_to(*store, run::Fact(run::Submitted{r, "", ""})));
  spoil(
      "INSERT INTO spine (subject, run_seq, type, time, trace_id, scope, terminal, data) "
      "SELECT subject, 99, 'run.failed', time, trace_id, scope, 1, data FROM spine "
      "WHERE run_seq = 1");
  run::Ended ended;
  ended.id = r.id;
  ended.ending = run::Exited{0};
  ended.started_at = clock.wall_ms();  // Two events: the first is valid, the second is not.
  EXPECT_EQ(reason_of(write_to(*store, run::Fact(ended))), "already_recorded");
  EXPECT_EQ(must(store->events({.run = r.id})).size(), 3u);
  EXPECT_EQ(must(store->find(r.id))->state, run::State::starting);
}

// The WAL is saved into the database also under constant load; it cannot grow forever.
TEST_F(SqliteStoreTest, BoundsTheWal) {
  const testing::TestDirectory quick(testing::DirectoryPlace::memory);
  path = quick.file("drover.db");
  auto store = must(open());
  for (int i = 0; i < 1500; ++i) {
    must(write_to(*store, run::Fact(run::Submitted{draft(), "", ""})));
  }
  struct stat info = {};
  ASSERT_EQ(::stat((path + "-wal").c_str(), &info), 0);
  EXPECT_GT(info.st_size, 0);
  EXPECT_LT(info.st_size, 4120LL * (limits::kWalPagesMax + 500));
}

}  // namespace
}  // namespace drover::store
