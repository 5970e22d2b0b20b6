#include "spine/spine.h"

#include <gtest/gtest.h>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/io_context.hpp>
#include <thread>

#include "testing/clock.h"
#include "testing/store.h"

namespace drover::spine {
namespace {

class SpineTest : public ::testing::Test {
 protected:
  run::Submitted submission() {
    run::Record record;
    record.id = ids_.next();
    record.scope = "default";
    record.lane = "default";
    record.queued_at = clock_.wall_ms();
    return {.record = record, .key = {}, .digest = {}};
  }

  drover::testing::ManualClock clock_;
  IdMaker ids_{clock_};
  drover::testing::MemoryStore store_{clock_, drover::testing::Telling::at_flush};
  bus::Bell bell_{store_, 0};
  asio::io_context loop_;
  Spine spine_{loop_.get_executor(), store_, bell_};
};

// H1, R13: nobody is told, and no bell rings, before the commit.
TEST_F(SpineTest, TellsAfterTheCommit) {
  bool told = false;
  spine_.record(submission(), [&](Result<store::Written> written) {
    ASSERT_TRUE(written);
    EXPECT_EQ(bell_.last_seq(), written->events.back().seq);  // The bell came first.
    told = true;
  });
  loop_.poll();
  EXPECT_FALSE(told);
  EXPECT_EQ(bell_.last_seq(), 0);
  store_.flush();
  EXPECT_FALSE(told);  // Not on the store's thread.
  loop_.restart();
  loop_.poll();
  EXPECT_TRUE(told);
}

// R2, H7: a refusal reaches the one who asked for it, and rings nothing.
TEST_F(SpineTest, PassesRefusalsOn) {
  std::string reason;
  spine_.record(run::Claimed{ids_.next()},
                [&](Result<store::Written> written) { reason = written.error().reason; });
  store_.flush();
  loop_.poll();
  EXPECT_EQ(reason, "not_found");
  EXPECT_EQ(bell_.last_seq(), 0);
}

// A whole commit is published in order, also when several threads brought its facts.
TEST_F(SpineTest, PublishesInOrder) {
  constexpr int kFacts = 200;
  int told = 0;
  for (int i = 0; i < kFacts; ++i) {
    spine_.record(submission(), [&](const Result<store::Written>&) { ++told; });
  }
  bus::Subscription subscription(bell_, loop_.get_executor(), {}, 0);
  store_.flush();
  loop_.poll();
  EXPECT_EQ(told, kFacts);
  std::int64_t last = 0;
  for (auto page = subscription.poll(); !page->events.empty(); page = subscription.poll()) {
    for (const bus::EventPtr& event : page->events) EXPECT_EQ(event->seq, ++last);
  }
  EXPECT_EQ(last, bell_.last_seq());
}

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
  store_.flush();
  loop_.restart();
  loop_.poll();
  EXPECT_EQ(state, run::State::starting);
}

}  // namespace
}  // namespace drover::spine
