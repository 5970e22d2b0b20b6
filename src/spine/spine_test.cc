#include "spine/spine.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/io_context.hpp>
#include <latch>

#include "base/fd.h"
#include "log/log.h"
#include "store/store_contract.h"
#include "testing/breaking_store.h"
#include "testing/clock.h"
#include "testing/directory.h"
#include "testing/store.h"

namespace drover::spine {
namespace {

class SpineTest : public ::testing::Test {
 protected:
  run::Submitted submission() {
    run::Record record;
    record.id = ids_.next();
    record.kind = run::kCommand;
    record.scope = "default";
    record.lane = "default";
    record.queued_at = clock_.wall_ms();
    return {.record = record, .key = {}, .digest = {}};
  }

  // Waits until the store has answered every write so far; it answers them in order.
  void settle() {
    const store::Work nothing = [](store::Transaction&) -> Result<> { return {}; };
    store::must(store::write_to(store_, nothing));
  }

  drover::testing::ManualClock clock_;
  IdMaker ids_{clock_};
  // Records a submission; false: the answer was that its fate is unknown.
  bool submit(const run::Submitted& fact) {
    bool landed = false;
    spine_.record(fact,
                  [&](const Result<store::Written>& written) { landed = written.has_value(); });
    settle();
    loop_.restart();
    loop_.poll();
    return landed;
  }
  void watch() {
    spine_.watch([&](const store::Written& written) { shown_.push_back(written.record.id); });
  }

  drover::testing::TestStore store_{clock_};
  drover::testing::BreakingStore breaking_{store_};
  bus::Bell bell_{breaking_, 0};
  asio::io_context loop_;
  Spine spine_{loop_.get_executor(), breaking_, bell_};
  std::vector<RunId> shown_;  // By the spine to its observer, in order.
};

// H1, R13: no caller is answered, and no bell rings, before the commit.
TEST_F(SpineTest, AnswersAfterTheCommit) {
  std::latch busy(1);
  std::latch go(1);
  store_.write(store::LaneSet{"first", 1}, [&](const auto&) {
    busy.count_down();
    go.wait();  // Until then the store commits nothing else.
  });
  busy.wait();
  bool told = false;
  spine_.record(submission(), [&](Result<store::Written> written) {
    ASSERT_TRUE(written);
    EXPECT_EQ(bell_.last_seq(), written->events.back().seq);  // The bell came first.
    told = true;
  });
  loop_.poll();
  EXPECT_FALSE(told);
  EXPECT_EQ(bell_.last_seq(), 0);
  go.count_down();
  settle();
  EXPECT_FALSE(told);  // Not on the store's thread.
  loop_.restart();
  loop_.poll();
  EXPECT_TRUE(told);
}

// R2, H7: a refusal reaches its caller, and rings no bell.
TEST_F(SpineTest, PassesRefusalsOn) {
  std::string reason;
  spine_.record(run::Claimed{ids_.next()},
                [&](Result<store::Written> written) { reason = written.error().reason; });
  settle();
  loop_.poll();
  EXPECT_EQ(reason, "not_found");
  EXPECT_EQ(bell_.last_seq(), 0);
}

// Every event of every commit is published, in order, also if it is the only one.
TEST_F(SpineTest, PublishesInOrder) {
  constexpr int kFacts = 200;
  int told = 0;
  const run::Submitted first = submission();
  for (int i = 1; i < kFacts; ++i) {
    spine_.record(i == 1 ? first : submission(), [&](const Result<store::Written>&) { ++told; });
  }
  settle();
  loop_.poll();
  spine_.record(run::Started{.id = first.record.id, .at = 1},
                [&](const Result<store::Written>&) { ++told; });
  bus::Subscription subscription(bell_, loop_.get_executor(), {}, 0);
  settle();
  loop_.restart();
  loop_.poll();
  EXPECT_EQ(told, kFacts);
  std::int64_t last = 0;
  for (auto page = subscription.poll(); !page->events.empty(); page = subscription.poll()) {
    for (const bus::EventPtr& event : page->events) EXPECT_EQ(event->seq, ++last);
  }
  EXPECT_EQ(last, bell_.last_seq());
  EXPECT_EQ(last, store_.last_seq().value_or(0));
  EXPECT_GE(last, kFacts);
}

// A coroutine gets the record as it is after the commit.
TEST_F(SpineTest, ServesCoroutines) {
  run::State state{};
  asio::co_spawn(
      loop_,
      [](Spine& spine, run::Submitted fact, run::State& out) -> asio::awaitable<void> {
        auto written = co_await spine.record(std::move(fact));
        out = written->record.state;
      }(spine_, submission(), state),
      asio::detached);
  loop_.poll();
  settle();
  loop_.restart();
  loop_.poll();
  EXPECT_EQ(state, run::State::starting);
}

// The observer sees every commit once, in order, before its caller is answered; a refused write and
// one without effect are not shown.
TEST_F(SpineTest, ShowsEveryCommitOnce) {
  watch();
  std::vector<RunId> submitted;
  for (int i = 0; i < 3; ++i) {
    const run::Submitted fact = submission();
    submitted.push_back(fact.record.id);
    spine_.record(fact, [&, i](const Result<store::Written>&) { EXPECT_GT(shown_.size(), i); });
    if (i == 1) spine_.record(fact, [](const Result<store::Written>&) {});
    spine_.record(run::Claimed{ids_.next()}, [](const Result<store::Written>&) {});
    if (i == 1) settle();
  }
  settle();
  loop_.poll();
  EXPECT_EQ(shown_, submitted);
}

// A commit that was answered with `commit_unknown` is shown all the same, once.
TEST_F(SpineTest, ShowsACommitOfUnknownFate) {
  watch();
  const run::Submitted before = submission(), unheard = submission(), after = submission();
  ASSERT_TRUE(submit(before));
  breaking_.break_write(1, drover::testing::BreakWhen::after);
  EXPECT_FALSE(submit(unheard));
  ASSERT_TRUE(submit(after));
  EXPECT_EQ(shown_, (std::vector{before.record.id, unheard.record.id, after.record.id}));
  EXPECT_EQ(spine_.tally().kinds.begin()->second.submitted, 3U);
}

// The same for a later commit that the store makes before the spine catches up.
TEST_F(SpineTest, ShowsNothingTwiceThatItCaughtUpWith) {
  watch();
  const run::Submitted unheard = submission(), after = submission();
  breaking_.break_write(1, drover::testing::BreakWhen::after);
  for (const run::Submitted& fact : {unheard, after}) {
    spine_.record(fact, [](const Result<store::Written>&) {});
  }
  settle();
  loop_.poll();
  EXPECT_EQ(shown_, (std::vector{unheard.record.id, after.record.id}));
}

// If the store cannot be read at that moment either, the spine reads it with the next write.
TEST_F(SpineTest, CatchesUpOnceItCanRead) {
  watch();
  const run::Submitted unheard = submission(), meanwhile = submission(), after = submission();
  breaking_.break_write(1, drover::testing::BreakWhen::after);
  breaking_.break_reads(true);
  EXPECT_FALSE(submit(unheard));
  ASSERT_TRUE(submit(meanwhile));
  EXPECT_EQ(shown_, std::vector{meanwhile.record.id});
  breaking_.break_reads(false);
  ASSERT_TRUE(submit(after));
  EXPECT_EQ(std::ranges::count(shown_, unheard.record.id), 1);
  EXPECT_EQ(shown_.back(), after.record.id);
}

// Without a next write, it reads the store by itself after a while.
TEST_F(SpineTest, CatchesUpByItself) {
  watch();
  const run::Submitted unheard = submission();
  breaking_.break_write(1, drover::testing::BreakWhen::after);
  breaking_.break_reads(true);
  EXPECT_FALSE(submit(unheard));
  breaking_.break_reads(false);
  loop_.restart();
  while (shown_.empty()) loop_.run_one();
  EXPECT_EQ(shown_, std::vector{unheard.record.id});
}

// The store may release a write after the loop is destroyed: it has a thread of its own.
TEST_F(SpineTest, LeavesNothingOfTheLoopToTheStore) {
  std::latch busy(1);
  std::latch queued(1);
  store_.write(store::LaneSet{"first", 1}, [&](const auto&) {
    busy.count_down();
    queued.wait();
  });
  busy.wait();
  std::latch answered(1);
  std::latch gone(1);
  {
    asio::io_context loop;
    Spine spine(loop.get_executor(), store_, bell_);
    spine.record(submission(), [](const Result<store::Written>&) {});
    // In the same batch: the store keeps the spine's write until this one has returned.
    store_.write(store::LaneSet{"last", 1}, [&](const auto&) {
      answered.count_down();
      gone.wait();
    });
    queued.count_down();
    answered.wait();
    loop.poll();
  }
  gone.count_down();
  settle();
}

// A run that was deleted before the spine could catch up is shown as it finished.
TEST_F(SpineTest, ShowsTheFinishOfADeletedRun) {
  const run::Submitted fact = submission();
  ASSERT_TRUE(submit(fact));
  std::vector<run::State> states;
  spine_.watch([&](const store::Written& written) { states.push_back(written.record.state); });
  const RunId id = fact.record.id;
  const auto write = [&](run::Fact deed) {
    spine_.record(std::move(deed), [](const Result<store::Written>&) {});
    settle();
  };
  breaking_.break_write(1, drover::testing::BreakWhen::after);
  write(run::Ended{.id = id, .ending = run::NeverStarted{}});
  write(run::Deleted{id});
  loop_.restart();
  loop_.poll();
  EXPECT_EQ(states, std::vector{run::State::failed});
}

// R2, H6: a refused change is a line of the daemon's log with the run's id, also inside a Work.
TEST_F(SpineTest, LogsTheRunOfARefusedWork) {
  const run::Submitted fact = submission();
  ASSERT_TRUE(submit(fact));
  const run::Ended ended{.id = fact.record.id, .ending = run::NeverStarted{}};
  store::must(store::write_to(store_, run::Fact(ended)));
  const drover::testing::TestDirectory directory;
  log::open(directory.file("log"), log::Level::info);
  const store::Work twice = [&](store::Transaction& transaction) -> Result<> {
    auto written = transaction.record(ended);
    return written ? Result<>{} : std::unexpected(written.error());
  };
  spine_.record(twice, [](const Result<store::Written>& written) { EXPECT_FALSE(written); });
  settle();
  loop_.restart();
  loop_.poll();
  log::open("", log::Level::error);
  const std::string text = read_file(directory.file("log"), 1 << 20).value();
  const size_t at = text.find("refused: ");
  ASSERT_NE(at, std::string::npos) << text;
  EXPECT_NE(text.substr(0, at).find(fact.record.id.view()), std::string::npos) << text;
}

}  // namespace
}  // namespace drover::spine
