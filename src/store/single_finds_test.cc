// The daemon's own lookups of runs: many at once are one read, and none is refused.
#include "store/single_finds.h"

#include <gtest/gtest.h>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <map>

#include "base/limits.h"
#include "store/read_pool.h"
#include "store/store_contract.h"
#include "testing/clock.h"
#include "testing/store.h"

namespace drover::store {
namespace {

class SingleFindsTest : public ::testing::Test {
 protected:
  RunId submit() {
    run::Record record;
    record.id = ids_.next();
    record.kind = run::kCommand;
    record.scope = "default";
    record.lane = "default";
    must(write_to(store_, run::Fact(run::Submitted{record, "", ""})));
    return record.id;
  }
  // Looks it up; the answer arrives while the loop runs: "found", "deleted", "none" or an error.
  void look_up(const RunId& id, bool or_deleted = false) {
    const auto note = [this, id](const std::exception_ptr& thrown, const FoundRun& found) {
      EXPECT_FALSE(thrown);
      answers_[id] = !found              ? found.error().reason
                     : !*found           ? "none"
                     : (*found)->deleted ? "deleted"
                                         : "found";
    };
    if (or_deleted) return asio::co_spawn(loop_, reads_.find_stored(id), note);
    asio::co_spawn(
        loop_,
        [](ReadPool& reads, RunId run) -> asio::awaitable<FoundRun> {
          auto found = co_await reads.find(run);
          if (!found) co_return std::unexpected(found.error());
          if (!*found) co_return std::nullopt;
          co_return StoredRun{.record = std::move(**found)};
        }(reads_, id),
        note);
  }
  void run_loop() {
    loop_.restart();
    loop_.run();
  }

  testing::ManualClock clock_;
  IdMaker ids_{clock_};
  testing::TestStore store_{clock_};
  asio::io_context loop_{1};
  ReadPool reads_{loop_.get_executor(), store_};
  std::map<RunId, std::string> answers_;
};

// More callers than may wait in one line are all answered, with a few reads.
TEST_F(SingleFindsTest, ShareReads) {
  const RunId there = submit();
  store_.reopen();
  std::atomic<int> reads_made = 0;
  reads_.pool().before_each_job([&] { ++reads_made; });
  constexpr size_t kMany = 4 * limits::kWorkWaitingPerCaller;
  look_up(there);
  for (size_t i = 1; i < kMany; ++i) look_up(ids_.next());
  run_loop();
  EXPECT_EQ(answers_.size(), kMany);
  EXPECT_EQ(answers_[there], "found");
  EXPECT_EQ(std::ranges::count(answers_, "none", [](const auto& a) { return a.second; }),
            static_cast<std::ptrdiff_t>(kMany - 1));
  EXPECT_LE(reads_made, static_cast<int>(kMany / kSingleFindsMax) + 2);
}

// A run that was written lately is found without a read.
TEST_F(SingleFindsTest, AreAnsweredFromMemory) {
  const RunId id = submit();
  std::atomic<int> reads_made = 0;
  reads_.pool().before_each_job([&] { ++reads_made; });
  look_up(id);
  run_loop();
  EXPECT_EQ(answers_[id], "found");
  EXPECT_EQ(reads_made, 0);
}

// A damaged record fails its own callers alone.
TEST_F(SingleFindsTest, FailAlone) {
  const RunId damaged = submit(), whole = submit();
  store_.damage("UPDATE runs SET state = 99 WHERE id = '" + damaged.str() + "'");
  store_.reopen();
  look_up(damaged);
  look_up(whole);
  look_up(ids_.next());
  run_loop();
  EXPECT_EQ(answers_[whole], "found");
  EXPECT_EQ(answers_.size(), 3U);
  EXPECT_NE(answers_[damaged], "found");
}

// H4: a deleted run is found by its evidence, if that will do.
TEST_F(SingleFindsTest, FindDeletedRuns) {
  const RunId one = submit(), other = submit();
  for (const RunId& id : {one, other}) {
    must(write_to(store_, run::Fact(run::CancelRequested{.id = id})));
    must(write_to(store_, run::Fact(run::Ended{.id = id, .ending = run::NeverStarted{}})));
    must(write_to(store_, run::Fact(run::Deleted{id})));
  }
  look_up(one, true);
  look_up(other);
  run_loop();
  EXPECT_EQ(answers_[one], "deleted");
  EXPECT_EQ(answers_[other], "none");
}

// The caller learns of a write that was made after the answer.
TEST_F(SingleFindsTest, KnowWhatWasWrittenSince) {
  const RunId id = submit();
  const run::Record answered = **store_.find(id);
  must(write_to(store_, run::Fact(run::CancelRequested{.id = id})));
  EXPECT_FALSE(answered.cancel_requested);
  EXPECT_TRUE(reads_.newest(answered).cancel_requested);
}

}  // namespace
}  // namespace drover::store
