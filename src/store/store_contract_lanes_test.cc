// The contract of a Store: lanes, slots, idempotency keys, and concurrent writes.
#include <algorithm>
#include <atomic>
#include <latch>
#include <thread>

#include "store/store_contract.h"

namespace drover::store {
namespace {

using run::State;

// R16: the lanes of a new store, and a new one that is created by its first run.
TEST_P(StoreContract, CreatesLanes) {
  EXPECT_EQ(lane("default").limit, limits::kDefaultLaneLimit);
  EXPECT_EQ(lane("apps").limit, limits::kAppsLaneLimit);
  submit("fresh");
  EXPECT_EQ(lane("fresh").limit, limits::kNewLaneLimit);
  EXPECT_EQ(lane("fresh").active, 1);
  const Written set = must(set_lane("fresh", 9));
  ASSERT_EQ(set.events.size(), 1u);
  EXPECT_EQ(set.events[0].type, "lane.set");
  EXPECT_EQ(set.events[0].subject(), "lane/fresh");
  EXPECT_EQ(set.events[0].data, R"({"limit":9,"paused":false,"draining":false})");
  EXPECT_EQ(lane("fresh").limit, 9);
  must(set_lane("empty", 3));
  EXPECT_EQ(lane("empty").limit, 3);
}

// R16: a slot is free again when its run has finished; the queue is first in, first out, so a new
// run does not overtake a waiting one.
TEST_P(StoreContract, GivesSlotsInOrder) {
  const RunId first = submit("narrow").id;
  const RunId second = submit("narrow").id;
  EXPECT_EQ(found(first).state, State::starting);
  EXPECT_EQ(found(second).state, State::queued);
  const auto full = claim(second);
  EXPECT_EQ(reason_of(full), "lane_full");
  EXPECT_EQ(full.error().param, "lane");
  must(end(first));
  EXPECT_EQ(found(submit("narrow").id).state, State::queued);
  EXPECT_EQ(must(claim(second)).record.state, State::starting);
  EXPECT_EQ(lane("narrow").active, 1);
  EXPECT_EQ(lane("narrow").queued, 1);
}

// R16: limits change at run time, up and down; lowering one stops no run.
TEST_P(StoreContract, ChangesALimit) {
  must(set_lane("l", 2));
  const RunId a = submit("l").id;
  const RunId b = submit("l").id;
  const RunId c = submit("l").id;
  must(set_lane("l", 1));
  EXPECT_EQ(lane("l").active, 2);
  must(end(a));
  EXPECT_EQ(reason_of(claim(c)), "lane_full");
  must(end(b));
  must(claim(c));
  must(set_lane("l", 5));
  EXPECT_EQ(submit("l").state, State::starting);
}

// The number of waiting runs is bounded, with an error that says so; runs that get a slot do not
// count.
TEST_P(StoreContract, BoundsTheQueue) {
  reopen(2);
  submit("narrow");
  submit("narrow");
  const RunId last = submit("narrow").id;
  const auto full = record(run::Submitted{draft("narrow"), "", ""});
  EXPECT_EQ(reason_of(full), "queue_full");
  EXPECT_EQ(full.error().code, ErrorCode::unavailable);
  EXPECT_EQ(submit("other").state, State::starting);
  must(cancel(last));
  EXPECT_EQ(submit("narrow").state, State::queued);
}

// A repetition with the same key returns the first run; another request with it is refused.
TEST_P(StoreContract, RemembersKeys) {
  const run::Record first = draft();
  EXPECT_FALSE(must(store->knows_key("default", "key")));
  const Written made = must(record(run::Submitted{first, "key", "digest"}));
  EXPECT_FALSE(made.replayed);
  EXPECT_TRUE(must(store->knows_key("default", "key")));
  EXPECT_FALSE(must(store->knows_key("elsewhere", "key")));
  const Written again = must(record(run::Submitted{draft(), "key", "digest"}));
  EXPECT_TRUE(again.replayed);
  EXPECT_EQ(again.record.id, first.id);
  EXPECT_TRUE(again.events.empty());
  const auto other = record(run::Submitted{draft(), "key", "another"});
  EXPECT_EQ(reason_of(other), "idempotency_key_reused");
  EXPECT_EQ(other.error().param, "Idempotency-Key");
  EXPECT_EQ(must(store->list({})).size(), 1u);
  // The same text in another scope is another key.
  EXPECT_FALSE(
      must(record(run::Submitted{draft("default", "elsewhere"), "key", "digest"})).replayed);
  // Sent again by the same caller: its own run, not a replay.
  EXPECT_FALSE(must(record(run::Submitted{first, "key", "digest"})).replayed);
  // A key outlives its run: a repetition must not run the command a second time.
  must(end(first.id));
  must(remove(first.id));
  EXPECT_TRUE(must(store->knows_key("default", "key")));
  EXPECT_EQ(reason_of(record(run::Submitted{draft(), "key", "digest"})), "idempotency_key_reused");
}

// Many concurrent submissions: all are answered, every run exists once, no slot is given twice.
TEST_P(StoreContract, HandlesConcurrentSubmissions) {
  constexpr int kThreads = 16;
  constexpr int kEach = 20;
  must(set_lane("shared", 100));
  std::vector<std::vector<run::Record>> drafts(kThreads);
  for (auto& mine : drafts) {
    for (int i = 0; i < kEach; ++i) mine.push_back(draft("shared"));
  }
  std::atomic<int> started = 0;
  {
    std::latch ready(kThreads);
    std::vector<std::jthread> threads;
    for (const auto& mine : drafts) {
      threads.emplace_back([&] {
        ready.arrive_and_wait();
        for (const run::Record& r : mine) {
          const auto written = must(write_to(*store, run::Fact(run::Submitted{r, "", ""})));
          if (written.record.state == State::starting) ++started;
        }
      });
    }
  }
  EXPECT_EQ(started, 100);
  EXPECT_EQ(lane("shared").active, 100);
  EXPECT_EQ(lane("shared").queued, kThreads * kEach - 100);
  EXPECT_EQ(listed({.limit = 1000}).size(), static_cast<size_t>(kThreads * kEach));
}

// A refused fact does not affect its neighbors: in a burst that is written together, each gets its
// own answer.
TEST_P(StoreContract, ARefusalDoesNotAffectItsNeighbors) {
  const RunId done = whole_life(draft()).id;
  const run::Record reused = draft();
  whole_life(reused);
  must(remove(reused.id));
  std::vector<Write> burst;
  Ids good;
  for (int i = 0; i < 50; ++i) {
    good.push_back(ids.next());
    run::Record r = draft();
    r.id = good.back();
    burst.emplace_back(run::Fact(run::Submitted{r, "", ""}));
    burst.emplace_back(run::Fact(ended(done, 1)));                  // Refused by the table.
    burst.emplace_back(run::Fact(run::Submitted{reused, "", ""}));  // Refused by a constraint.
  }
  std::vector<Result<Written>> answers(burst.size());
  std::latch told(static_cast<std::ptrdiff_t>(burst.size()));
  for (size_t i = 0; i < burst.size(); ++i) {
    store->write(std::move(burst[i]), [&, i](Result<Written> answer) {
      answers[i] = std::move(answer);
      told.count_down();
    });
  }
  told.wait();
  for (size_t i = 0; i < answers.size(); i += 3) {
    EXPECT_TRUE(answers[i]);
    EXPECT_EQ(reason_of(answers[i + 1]), "already_terminal");
    EXPECT_EQ(reason_of(answers[i + 2]), "already_recorded");
  }
  for (const RunId& id : good) EXPECT_EQ(types(id).size(), 2u);
  EXPECT_EQ(must(store->find(reused.id)), std::nullopt);
}

// H7: of many concurrent finishes one is written, and the others are refused.
TEST_P(StoreContract, ARunFinishesOnce) {
  constexpr int kThreads = 8;
  for (int round = 0; round < 10; ++round) {
    const RunId id = submit().id;
    std::atomic<int> won = 0;
    std::atomic<int> winner = -1;
    {
      std::latch ready(kThreads);
      std::vector<std::jthread> threads;
      for (int i = 0; i < kThreads; ++i) {
        threads.emplace_back([&, i] {
          ready.arrive_and_wait();
          const auto answer = write_to(*store, run::Fact(ended(id, i)));
          if (answer) {
            ++won;
            winner = i;
          } else {
            EXPECT_EQ(answer.error().reason, "already_terminal");
          }
        });
      }
    }
    EXPECT_EQ(won, 1);
    EXPECT_EQ(found(id).exit_code, winner.load());
    const auto all = history(id);
    EXPECT_EQ(std::ranges::count(all, true, &run::Event::is_final), 1);
  }
}

}  // namespace
}  // namespace drover::store
