// The store's answers must be true when the disk fails: "unavailable" only if nothing was written,
// success only if it was.
#include <filesystem>
#include <latch>

#include "store/sqlite/sqlite_store.h"
#include "store/store_contract.h"
#include "testing/breaking_disk.h"
#include "testing/directory.h"
#include "testing/kinds.h"

namespace drover::store {
namespace {

using testing::BreakingDisk;

class BrokenDisk : public ::testing::Test {
 protected:
  void SetUp() override {
    BreakingDisk::repair();
    BreakingDisk::begin_image();
    sqlite::Options options = testing::with_tours();
    options.vfs = BreakingDisk::kName;
    store = must(SqliteStore::open(directory.file("drover.db"), clock, options));
    must(submit(first));
    EXPECT_TRUE(is_there(first.id));
    must(store->last_seq());  // A second connection keeps the end of the WAL in memory.
  }
  void TearDown() override { BreakingDisk::repair(); }

  run::Record draft() {
    run::Record r;
    r.id = ids.next();
    r.kind = "command";
    r.scope = "default";
    r.lane = "default";
    r.queued_at = clock.wall_ms();
    return r;
  }
  Result<Written> submit(const run::Record& r) {
    return write_to(*store, run::Fact(run::Submitted{r, "", ""}));
  }
  bool is_there(const RunId& id) { return must(store->find(id)).has_value(); }

  testing::TestDirectory directory;
  testing::ManualClock clock;
  IdMaker ids{clock};
  run::Record first = draft();
  std::unique_ptr<SqliteStore> store;
};

// A full disk: nothing is written, all callers get the reason, old data can still be read, and once
// there is space again the same store continues.
TEST_F(BrokenDisk, SurvivesAFullDisk) {
  const run::Record r = draft();
  BreakingDisk::fill();
  for (int i = 0; i < 3; ++i) {
    const auto refused = submit(r);
    ASSERT_EQ(reason_of(refused), "disk_full");
    EXPECT_EQ(refused.error().code, ErrorCode::unavailable);
  }
  EXPECT_FALSE(is_there(r.id));
  EXPECT_TRUE(is_there(first.id));
  BreakingDisk::repair();
  EXPECT_EQ(must(submit(r)).effect, run::Effect::changed);
  EXPECT_TRUE(is_there(r.id));
}

// The sync of a commit fails and the commit is lost: all its callers get an error, including those
// that were refused because of something that was lost.
TEST_F(BrokenDisk, AnswersUnavailableWhenTheCommitIsLost) {
  const run::Record r = draft();
  BreakingDisk::fail_sync(BreakingDisk::Fate::lost);
  EXPECT_EQ(reason_of(submit(r)), "database_error");
  EXPECT_FALSE(is_there(r.id));
  EXPECT_TRUE(must(store->events({.run = r.id})).empty());
  BreakingDisk::repair();
  EXPECT_EQ(must(submit(r)).effect, run::Effect::changed);
  EXPECT_EQ(must(store->events({.run = r.id})).size(), 2u);
  EXPECT_EQ(must(write_to(*store, LaneSet{"x", 1})).effect, run::Effect::changed);
}

// A commit that was reported as lost never reappears, even if the machine stops right after: a
// store opened on a copy of the files does not find it in the WAL.
TEST_F(BrokenDisk, ALostCommitNeverReappears) {
  const run::Record r = draft();
  BreakingDisk::fail_sync(BreakingDisk::Fate::lost);
  EXPECT_EQ(reason_of(submit(r)), "database_error");
  std::filesystem::copy_file(directory.file("drover.db"), directory.file("after.db"));
  std::filesystem::copy_file(directory.file("drover.db-wal"), directory.file("after.db-wal"));
  BreakingDisk::repair();
  auto after = must(SqliteStore::open(directory.file("after.db"), clock));
  EXPECT_EQ(must(after->find(r.id)), std::nullopt);
  EXPECT_NE(must(after->find(first.id)), std::nullopt);
}

// The sync of a commit is reported as failed, but the commit is there: the answer is success.
TEST_F(BrokenDisk, AnswersSuccessWhenTheCommitIsThere) {
  const run::Record r = draft();
  BreakingDisk::fail_sync(BreakingDisk::Fate::landed);
  const Written written = must(submit(r));
  EXPECT_EQ(written.record.id, r.id);
  EXPECT_EQ(written.events.size(), 2u);
  EXPECT_TRUE(is_there(r.id));
  BreakingDisk::repair();
  EXPECT_EQ(must(submit(r)).effect, run::Effect::none);
}

// H1: before a commit that was found is acknowledged, it is saved in another way: a power cut right
// after does not lose it, though its sync failed.
TEST_F(BrokenDisk, SavesAFoundCommitBeforeAnswering) {
  const run::Record r = draft();
  BreakingDisk::fail_sync(BreakingDisk::Fate::landed);
  must(submit(r));
  const testing::TestDirectory left;
  testing::lay_down(BreakingDisk::image().after({testing::PowerCut::Keeps::nothing}), left.path());
  BreakingDisk::repair();
  const auto after = must(SqliteStore::open(left.file("drover.db"), clock));
  EXPECT_NE(must(after->find(r.id)), std::nullopt);
}

// A commit failed and the database cannot be opened again: its fate is unknown, and the answer says
// so. Sending it again later finds out.
TEST_F(BrokenDisk, SaysWhenTheFateIsUnknown) {
  const run::Record r = draft();
  BreakingDisk::fail_sync(BreakingDisk::Fate::landed);
  BreakingDisk::lock_out();
  EXPECT_EQ(reason_of(submit(r)), "commit_unknown");
  EXPECT_FALSE(submit(draft()));
  BreakingDisk::repair();
  EXPECT_EQ(must(submit(r)).record.id, r.id);
  EXPECT_TRUE(is_there(r.id));
}

// If a commit is lost, every caller of its batch gets an error.
TEST_F(BrokenDisk, AnswersEveryCallerOfALostBatch) {
  std::latch busy(1);
  std::latch release(1);
  store->write(LaneSet{"a", 1}, [&](Result<Written>) {
    busy.count_down();
    release.wait();
  });
  busy.wait();
  constexpr int kBatch = 20;
  std::latch told(kBatch);
  std::vector<std::string> reasons(kBatch);
  for (size_t i = 0; i < kBatch; ++i) {
    // Every second one would be refused: there is no such run.
    run::Fact fact = i % 2 == 0 ? run::Fact(run::Submitted{draft(), "", ""})
                                : run::Fact(run::Claimed{ids.next()});
    store->write(std::move(fact), [&, i](Result<Written> answer) {
      reasons[i] = reason_of(answer);
      told.count_down();
    });
  }
  BreakingDisk::fail_sync(BreakingDisk::Fate::lost);
  release.count_down();
  told.wait();
  EXPECT_EQ(reasons, std::vector<std::string>(kBatch, "database_error"));
  EXPECT_EQ(must(store->list({})).size(), 1u);
}

// After a commit of unknown fate a Work is found by its event: if the event is there, the answer is
// success; if not, nothing of the Work is, and the same Work can be sent again.
TEST_F(BrokenDisk, FindsAWorkByItsEvent) {
  const auto visits = [&] { return must(store->query("SELECT id FROM visits", {})).size(); };
  BreakingDisk::fail_sync(BreakingDisk::Fate::landed);
  const auto landed = write_to(*store, testing::visit("landed", "alps"));
  EXPECT_EQ(reason_of(landed), "");
  EXPECT_EQ(visits(), 1u);
  BreakingDisk::repair();
  BreakingDisk::fail_sync(BreakingDisk::Fate::lost);
  EXPECT_FALSE(write_to(*store, testing::visit("lost", "coast")));
  BreakingDisk::repair();
  EXPECT_EQ(visits(), 1u);
  must(write_to(*store, testing::visit("lost", "coast")));
  EXPECT_EQ(visits(), 2u);
}

}  // namespace
}  // namespace drover::store
