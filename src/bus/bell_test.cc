#include "bus/bell.h"

#include <gtest/gtest.h>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/io_context.hpp>

#include "base/limits.h"
#include "store/store_contract.h"
#include "testing/clock.h"
#include "testing/store.h"

namespace drover::bus {
namespace {

using std::chrono::steady_clock;

class BellTest : public ::testing::Test {
 protected:
  // Submits a run to the store, and rings the bell as the spine would.
  run::Record submit(const std::string& scope = "default") {
    run::Record record;
    record.id = ids_.next();
    record.kind = run::kCommand;
    record.scope = scope;
    record.lane = "default";
    record.queued_at = clock_.wall_ms();
    write(run::Submitted{.record = record, .key = {}, .digest = {}});
    return record;
  }
  void write(run::Fact fact) {
    bell_.ring(store::must(store::write_to(store_, std::move(fact))).events);
  }
  std::vector<std::string> types(const Page& page) {
    std::vector<std::string> out;
    for (const EventPtr& event : page.events) out.push_back(event->type);
    return out;
  }

  drover::testing::ManualClock clock_;
  IdMaker ids_{clock_};
  drover::testing::TestStore store_{clock_};
  Bell bell_{store_, 0};
  asio::io_context loop_;
};

// R12: a commit without an answer is published once the bell has caught up.
TEST_F(BellTest, CatchesUpWithTheStore) {
  submit();
  Subscription subscription(bell_, loop_.get_executor(), {}, bell_.last_seq());
  run::Record lost = submit();
  lost.id = ids_.next();
  store::must(store::write_to(store_, run::Submitted{.record = lost, .key = {}, .digest = {}}));
  EXPECT_EQ(subscription.poll()->events.size(), 2U);
  EXPECT_TRUE(subscription.poll()->events.empty());
  bell_.catch_up(*store_.last_seq());
  const auto page = subscription.poll();
  ASSERT_EQ(page->events.size(), 2U);
  EXPECT_EQ(page->events[0]->run_id, lost.id);
}

// R12: a subscriber sees the events after its cursor, in order, without gaps.
TEST_F(BellTest, ShowsTheEventsAfterTheCursor) {
  submit();
  Subscription subscription(bell_, loop_.get_executor(), {}, bell_.last_seq());
  EXPECT_TRUE(subscription.poll()->events.empty());
  const run::Record record = submit();
  EXPECT_EQ(types(*subscription.poll()), (std::vector<std::string>{"run.queued", "run.starting"}));
  EXPECT_TRUE(subscription.poll()->events.empty());
  write(run::Started{.id = record.id, .at = 1});
  EXPECT_EQ(types(*subscription.poll()), std::vector<std::string>{"run.started"});
}

// R12: resuming from an old cursor reads the log, however far back, and then continues with new
// events.
TEST_F(BellTest, ResumesFromTheLog) {
  for (size_t i = 0; i < limits::kRecentEvents; ++i) submit();
  Subscription subscription(bell_, loop_.get_executor(), {}, 0);
  std::int64_t last = 0;
  size_t seen = 0;
  while (true) {
    const auto page = subscription.poll();
    ASSERT_TRUE(page);
    if (page->events.empty()) break;
    EXPECT_LE(page->events.size(), limits::kSubscriberPage);
    for (const EventPtr& event : page->events) {
      ASSERT_EQ(event->seq, last + 1);
      last = event->seq;
      ++seen;
    }
  }
  EXPECT_EQ(seen, static_cast<size_t>(bell_.last_seq()));
}

// A subscriber of one run is also woken by its waker's events, but is not shown them.
TEST_F(BellTest, IsWokenByItsWaker) {
  const run::Record own = submit();
  const run::Record other = submit();
  for (const bool twice : {false, true}) {  // The second subscriber finds nothing of the first.
    std::optional<Page> page;
    Subscription subscription(bell_, loop_.get_executor(),
                              {.run = other.id, .scope = {}, .waker = "run/" + own.id.str()},
                              bell_.last_seq());
    asio::co_spawn(loop_, subscription.next(steady_clock::time_point::max()),
                   [&](std::exception_ptr, Result<Page> told) { page = std::move(*told); });
    loop_.restart();
    loop_.poll();
    EXPECT_FALSE(page);
    if (!twice) submit();  // Of no interest to it.
    loop_.poll();
    EXPECT_FALSE(page);
    if (twice) {
      write(run::CancelRequested{own.id});
    } else {
      write(run::Started{.id = own.id, .at = 1});
    }
    loop_.poll();
    ASSERT_TRUE(page);
    EXPECT_TRUE(page->events.empty());
    EXPECT_TRUE(page->waker);
  }
}

// A subscriber is woken by its own waker's events, and not by those of other subjects that its
// filter skips: a reader that checks its rights at every wake-up would otherwise do so at every
// event.
TEST_F(BellTest, IsWokenByNoOtherSubject) {
  const run::Record own = submit("app");
  Subscription subscription(bell_, loop_.get_executor(),
                            {.run = {}, .scope = "app", .waker = "run/" + own.id.str()},
                            bell_.last_seq());
  submit("elsewhere");
  EXPECT_FALSE(subscription.poll()->waker);
  write(run::Started{.id = own.id, .at = 1});
  EXPECT_TRUE(subscription.poll()->waker);
}

// R12: a subscription of a scope shows the events of runs in it and below it, and that of a run the
// events of this run alone. Both move their cursors past all others.
TEST_F(BellTest, FiltersByRunAndByScope) {
  Subscription below(bell_, loop_.get_executor(), {.run = {}, .scope = "app"}, 0);
  const run::Record one = submit("app/one");
  submit("apple");
  Subscription single(bell_, loop_.get_executor(), {.run = one.id, .scope = {}}, 0);
  for (Subscription* subscription : {&below, &single}) {
    const auto page = subscription->poll();
    ASSERT_EQ(page->events.size(), 2U);
    for (const EventPtr& event : page->events) EXPECT_EQ(event->run_id, one.id);
    EXPECT_TRUE(subscription->poll()->events.empty());
    EXPECT_EQ(subscription->cursor(), bell_.last_seq());
  }
}

// R12: a waiting subscriber is woken by an event of its run, and by no other.
TEST_F(BellTest, WakesWaitingSubscribers) {
  const run::Record mine = submit();
  Subscription subscription(bell_, loop_.get_executor(), {.run = mine.id, .scope = {}},
                            bell_.last_seq());
  std::vector<std::string> got;
  asio::co_spawn(
      loop_,
      [](Subscription& s, std::vector<std::string>& out) -> asio::awaitable<void> {
        const auto page = co_await s.next(steady_clock::time_point::max());
        for (const EventPtr& event : page->events) out.push_back(event->type);
      }(subscription, got),
      asio::detached);
  loop_.poll();
  submit();
  loop_.restart();
  loop_.poll();
  EXPECT_TRUE(got.empty());
  write(run::Started{.id = mine.id, .at = 1});
  loop_.restart();
  loop_.poll();
  EXPECT_EQ(got, std::vector<std::string>{"run.started"});
}

// R14: a subscriber that had kept up and fell far behind gets `lagged`, with its position.
TEST_F(BellTest, ReportsALaggingSubscriber) {
  Subscription subscription(bell_, loop_.get_executor(), {}, 0);
  submit();
  while (!subscription.poll()->events.empty()) {
  }
  std::vector<run::Event> burst(limits::kSubscriberLagMax + 1);
  std::int64_t seq = bell_.last_seq();
  for (run::Event& event : burst) event.seq = ++seq;
  const std::int64_t stood = subscription.cursor();
  bell_.ring(std::move(burst));
  const auto page = subscription.poll();
  EXPECT_EQ(page->lagged, static_cast<std::int64_t>(limits::kSubscriberLagMax) + 1);
  EXPECT_EQ(subscription.cursor(), stood);
}

// Nothing is kept for a subscriber that was destroyed, even while the bell rings.
TEST_F(BellTest, ForgetsDestroyedSubscribers) {
  const run::Record record = submit();
  {
    Subscription a(bell_, loop_.get_executor(), {.run = record.id, .scope = {}}, 0);
    Subscription b(bell_, loop_.get_executor(), {}, 0);
  }
  write(run::Started{.id = record.id, .at = 1});
}

// An event that is not about a run passes to those who may see it: with a scope to its readers,
// without one to the owner; and to subscribers of its sort.
TEST_F(BellTest, ShowsEventsAboutOtherSubjects) {
  Subscription owner(bell_, loop_.get_executor(), {.run = {}, .scope = {}}, 0);
  Subscription reader(bell_, loop_.get_executor(), {.run = {}, .scope = "app", .of_owner = false},
                      0);
  Subscription other(bell_, loop_.get_executor(), {.run = {}, .scope = {}, .about = "lane"}, 0);
  Subscription token(bell_, loop_.get_executor(),
                     {.run = {}, .scope = "app", .waker = "token/a", .of_owner = false}, 0);
  submit("app");
  const auto tell = [&](const std::string& subject, const std::string& scope) {
    const store::Work work = [&](store::Transaction& t) {
      return t.append({.subject = subject, .type = "thing.seen", .scope = scope});
    };
    bell_.ring(store::must(store::write_to(store_, work)).events);
  };
  tell("thing/1", "app/one");
  EXPECT_FALSE(token.poll()->waker);
  tell("token/a", "");
  tell("lane/gpu", "");
  const auto subjects = [](Subscription& subscription) {
    std::vector<std::string> list;
    for (const EventPtr& event : subscription.poll()->events) {
      if (!event->is_of_run()) list.push_back(event->subject());
    }
    return list;
  };
  using List = std::vector<std::string>;
  EXPECT_EQ(subjects(owner), (List{"thing/1", "token/a", "lane/gpu"}));
  EXPECT_EQ(subjects(reader), List{"thing/1"});
  EXPECT_EQ(subjects(other), List{"lane/gpu"});
  EXPECT_TRUE(token.poll()->waker);
}

// A subscriber of room events stays at the end of the log while plain runs pass, and sees the same
// from the bell's memory as from the log.
TEST_F(BellTest, ShowsOnlyRoomEvents) {
  Subscription rooms(bell_, loop_.get_executor(), {.run = {}, .scope = {}, .of_rooms = true}, 0);
  submit();
  EXPECT_EQ(rooms.cursor(), bell_.last_seq());
  const store::Work work = [](store::Transaction& t) {
    return t.append({.subject = "thing/1", .type = "thing.seen"});
  };
  bell_.ring(store::must(store::write_to(store_, work)).events);
  submit();
  EXPECT_EQ(types(*rooms.poll()), std::vector<std::string>{"thing.seen"});
  run::Record lost = submit();
  lost.id = ids_.next();
  store::must(store::write_to(store_, run::Submitted{.record = lost, .key = {}, .digest = {}}));
  store::must(store::write_to(store_, work));
  bell_.catch_up(*store_.last_seq());
  EXPECT_EQ(types(*rooms.poll()), std::vector<std::string>{"thing.seen"});
  EXPECT_TRUE(rooms.poll()->events.empty());
}

// After a catch-up that read ahead of the answers, events that the answers do not bring are read
// from the log.
TEST_F(BellTest, ReadsTheLogWhereItsMemoryEnds) {
  submit();
  Subscription subscription(bell_, loop_.get_executor(), {}, bell_.last_seq());
  run::Record record = submit();
  EXPECT_EQ(subscription.poll()->events.size(), 2U);
  record.id = ids_.next();
  auto events = store::must(store::write_to(
                                store_, run::Submitted{.record = record, .key = {}, .digest = {}}))
                    .events;
  ASSERT_EQ(events.size(), 2U);
  bell_.catch_up(*store_.last_seq());
  bell_.ring({events.front()});
  EXPECT_EQ(types(*subscription.poll()), std::vector<std::string>{"run.queued"});
  EXPECT_EQ(types(*subscription.poll()), std::vector<std::string>{"run.starting"});
  EXPECT_EQ(subscription.cursor(), bell_.last_seq());
}

// Events of a commit without an answer follow the next ring, also for subscribers whom that ring
// does not concern.
TEST_F(BellTest, SkipsNothingAfterAGap) {
  submit();
  Subscription rooms(bell_, loop_.get_executor(), {.run = {}, .scope = {}, .of_rooms = true},
                     bell_.last_seq());
  const store::Work work = [](store::Transaction& t) {
    return t.append({.subject = "thing/1", .type = "thing.seen"});
  };
  store::must(store::write_to(store_, work));  // The bell is not rung.
  submit();
  EXPECT_EQ(types(*rooms.poll()), std::vector<std::string>{"thing.seen"});
}

}  // namespace
}  // namespace drover::bus
