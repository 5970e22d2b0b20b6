// The contract of a Store: lanes that are paused, drained and removed, runs that wait for others,
// are moved, and are retried.
#include <algorithm>
#include <latch>
#include <thread>

#include "store/store_contract.h"

namespace drover::store {
namespace {

using run::State;

class Plans {
 public:
  explicit Plans(StoreContract& world) : world_(world) {}

  run::Record after(const Ids& ids, const Ids& any = {}, const std::string& lane = "default") {
    run::Record r = world_.draft(lane);
    r.after = ids;
    r.after_any = any;
    return world_.submit(r);
  }
  run::Record with_retries(int max, std::int64_t backoff_ms = 1'000) {
    run::Record r = world_.draft();
    r.retry.max = max;
    r.retry.backoff_ms = backoff_ms;
    r.chain = r.id.str();
    return world_.submit(r);
  }
  Result<Written> review(const RunId& id) { return world_.record(run::Reviewed{id}); }
  // Finishes it with that exit code, with another attempt prepared.
  Written fails(const RunId& id, const RunId& next, int exit_code = 1) {
    run::Ended fact = world_.ended(id, exit_code);
    fact.next = next;
    return must(world_.record(fact));
  }

 private:
  StoreContract& world_;
};

// R16: a paused lane gives no slot, neither to a new run nor to a claim; active runs continue. A
// repeated pause keeps the time of the first.
TEST_P(StoreContract, PausesALane) {
  const RunId running = submit("l").id;
  const RunId waiting = submit("l").id;
  const WallMs paused_at = clock.wall_ms();
  must(write(LaneSet{.name = "l", .paused = true}));
  clock.advance_ms(5);
  must(write(LaneSet{.name = "l", .paused = true}));
  EXPECT_EQ(lane("l").paused_at, paused_at);
  EXPECT_EQ(lane("l").limit, 1);
  must(end(running));
  EXPECT_EQ(reason_of(claim(waiting)), "lane_paused");
  EXPECT_EQ(submit("l").state, State::queued);
  must(write(LaneSet{.name = "l", .paused = false}));
  EXPECT_EQ(lane("l").paused_at, 0);
  EXPECT_EQ(must(claim(waiting)).record.state, State::starting);
  // Also in a lane without waiting runs and with free slots.
  must(set_lane("m", 5));
  must(write(LaneSet{.name = "m", .paused = true}));
  EXPECT_EQ(submit("m").state, State::queued);
}

// R16: a draining lane accepts no new run, in any way, and finishes the existing ones.
TEST_P(StoreContract, DrainsALane) {
  const RunId running = submit("l").id;
  const RunId waiting = submit("l").id;
  must(write(LaneSet{.name = "l", .draining = true}));
  const auto refused = record(run::Submitted{draft("l"), "", ""});
  EXPECT_EQ(reason_of(refused), "lane_draining");
  EXPECT_EQ(refused.error().code, ErrorCode::conflict);
  EXPECT_EQ(refused.error().param, "lane");
  submit("other");
  const RunId elsewhere = submit("other").id;
  EXPECT_EQ(reason_of(record(run::Moved{elsewhere, "l"})), "lane_draining");
  must(record(run::Moved{waiting, {}, 5}));  // Changes within the lane are still possible.
  must(end(running));
  must(claim(waiting));
  must(end(waiting));
  must(write(LaneRemoved{"l"}));
  EXPECT_EQ(lane("l").limit, -1);
  EXPECT_EQ(submit("l").state, State::starting);  // A new lane of that name.
}

// R16: a lane with runs cannot be removed, nor can one that Drover needs; a pause creates no lane.
TEST_P(StoreContract, KeepsLanesThatAreNeeded) {
  submit("l");
  EXPECT_EQ(reason_of(write(LaneRemoved{"l"})), "lane_busy");
  EXPECT_EQ(reason_of(write(LaneRemoved{"default"})), "lane_stays");
  EXPECT_EQ(reason_of(write(LaneRemoved{"never"})), "not_found");
  EXPECT_EQ(reason_of(write(LaneSet{.name = "never", .paused = true})), "not_found");
}

// R16: a queued run can be moved to another lane and priority, and no other run can.
TEST_P(StoreContract, MovesQueuedRuns) {
  const RunId running = submit("l").id;
  const RunId waiting = submit("l").id;
  EXPECT_EQ(reason_of(record(run::Moved{running, "m"})), "not_queued");
  must(record(run::Moved{waiting, "m", -3}));
  EXPECT_EQ(found(waiting).lane, "m");
  EXPECT_EQ(found(waiting).priority, -3);
  EXPECT_EQ(lane("l").queued, 0);
  EXPECT_EQ(lane("m").queued, 1);
  EXPECT_EQ(lane("m").limit, limits::kNewLaneLimit);
  EXPECT_EQ(must(record(run::Moved{waiting, "m", -3})).effect, run::Effect::none);
  must(claim(waiting));
  EXPECT_EQ(types(waiting), (Types{"run.queued", "run.moved", "run.starting"}));
}

// R17: a run that waits for others takes no slot and no place in the queue; it continues when all
// have completed, and not before.
TEST_P(StoreContract, WaitsForOthers) {
  Plans plans(*this);
  const RunId a = submit("a").id, b = submit("b").id;
  const run::Record waiting = plans.after({a, b}, {}, "l");
  EXPECT_EQ(waiting.state, State::queued);
  EXPECT_TRUE(waiting.held);
  EXPECT_EQ(found(waiting.id).after, (Ids{a, b}));
  EXPECT_EQ(reason_of(claim(waiting.id)), "not_ready");
  EXPECT_EQ(submit("l").state, State::starting);  // The held run is not in its way.
  must(end(a));
  EXPECT_EQ(must(plans.review(waiting.id)).effect, run::Effect::none);
  must(end(b));
  const run::Record ready = must(plans.review(waiting.id)).record;
  EXPECT_EQ(ready.state, State::queued);  // Its lane is full now.
  EXPECT_FALSE(found(waiting.id).held);
  EXPECT_EQ(must(plans.review(waiting.id)).effect, run::Effect::none);
  EXPECT_EQ(submit("l").state, State::queued);
  EXPECT_EQ(types(waiting.id), (Types{"run.queued", "run.ready"}));
}

// R17: with a free slot the end of the wait and the claim are one step.
TEST_P(StoreContract, StartsWhenTheWaitIsOver) {
  Plans plans(*this);
  const RunId first = submit().id;
  const RunId waiting = plans.after({first}).id;
  must(end(first));
  EXPECT_EQ(must(plans.review(waiting)).record.state, State::starting);
  EXPECT_EQ(types(waiting), (Types{"run.queued", "run.ready", "run.starting"}));
}

// R17: a dependency that did not complete cancels the runs that waited for its success, with its id
// in the message; runs that waited for any finish continue. The same holds if it had finished
// before, and if its record was deleted.
TEST_P(StoreContract, CancelsARunThatCanNeverStart) {
  Plans plans(*this);
  const RunId first = submit().id;
  const RunId strict = plans.after({first}).id;
  const RunId lenient = plans.after({}, {first}).id;
  must(end(first, 1));
  const run::Record canceled = must(plans.review(strict)).record;
  EXPECT_EQ(canceled.state, State::canceled);
  EXPECT_EQ(canceled.reason, run::Reason::dependency_failed);
  EXPECT_NE(canceled.message.find(first.view()), std::string::npos) << canceled.message;
  EXPECT_EQ(must(plans.review(lenient)).record.state, State::starting);
  must(remove(first));
  EXPECT_EQ(plans.after({first}).reason, run::Reason::dependency_failed);
  EXPECT_EQ(plans.after({}, {first}).state, State::starting);
  const RunId good = whole_life(draft()).id;
  must(remove(good));
  EXPECT_EQ(plans.after({good}).state, State::starting);
}

// R17: a run cannot wait for an unknown one, so there are no cycles; nothing is created.
TEST_P(StoreContract, RefusesAnUnknownDependency) {
  run::Record r = draft();
  r.after_any = {ids.next()};
  const auto refused = record(run::Submitted{r, "", ""});
  EXPECT_EQ(reason_of(refused), "not_found");
  EXPECT_EQ(refused.error().param, "after_any");
  EXPECT_EQ(must(store->find(r.id)), std::nullopt);
  r.after_any = {};
  r.after = {r.id};
  EXPECT_EQ(reason_of(record(run::Submitted{r, "", ""})), "not_found");
}

// R17: the next attempt is recorded with the finish of the previous one, waits for its time, and
// has everything that the first one had.
TEST_P(StoreContract, RetriesAFailedRun) {
  Plans plans(*this);
  const run::Record first = plans.with_retries(1);
  const RunId second = ids.next(), third = ids.next();
  const Written ended = plans.fails(first.id, second);
  EXPECT_EQ(ended.record.retried_by, second.str());
  ASSERT_EQ(ended.also.size(), 1U);
  const run::Record next = found(second);
  EXPECT_EQ(next.number, ended.also.front().number);
  EXPECT_EQ(next.attempt, 2);
  EXPECT_EQ(next.chain, first.id.str());
  EXPECT_EQ(next.command, first.command);
  EXPECT_EQ(next.retry, first.retry);
  EXPECT_TRUE(next.held);
  EXPECT_EQ(found(first.id).retried_by, second.str());
  EXPECT_EQ(must(plans.review(second)).effect, run::Effect::none);  // Not yet.
  clock.advance_ms(1'000);
  EXPECT_EQ(must(plans.review(second)).record.state, State::starting);
  EXPECT_TRUE(plans.fails(second, third).also.empty());  // That was the last.
  EXPECT_EQ(must(store->find(third)), std::nullopt);
  EXPECT_EQ(listed({.chain = first.id.str()}), (Ids{second, first.id}));
  EXPECT_EQ(listed({.latest_only = true}), Ids{second});
  // The latest one that is still stored.
  must(remove(second));
  EXPECT_EQ(listed({.latest_only = true}), Ids{first.id});
}

// R17: a success, a cancel and other finished states than the requested ones are not retried.
TEST_P(StoreContract, DoesNotRetryOtherFinishes) {
  Plans plans(*this);
  EXPECT_TRUE(plans.fails(plans.with_retries(3).id, ids.next(), 0).also.empty());
  const RunId canceled = plans.with_retries(3).id;
  must(cancel(canceled));
  EXPECT_TRUE(plans.fails(canceled, ids.next()).also.empty());
  run::Record picky = draft();
  picky.retry = {.max = 3, .backoff_ms = 1, .on = {State::timed_out}};
  EXPECT_TRUE(plans.fails(submit(picky).id, ids.next()).also.empty());
}

// R17: a run that waits for a retried run waits for its last attempt, even if the earlier attempts
// were deleted.
TEST_P(StoreContract, WaitsForTheLastAttempt) {
  Plans plans(*this);
  const RunId first = plans.with_retries(1, 0).id;
  const RunId waiting = plans.after({first}).id;
  const RunId second = ids.next();
  plans.fails(first, second);
  EXPECT_EQ(must(plans.review(waiting)).effect, run::Effect::none);
  must(remove(first));
  must(claim(second));
  const RunId late = plans.after({first}).id;
  EXPECT_TRUE(found(late).held);
  must(end(second));
  EXPECT_EQ(must(plans.review(waiting)).record.state, State::starting);
  EXPECT_EQ(must(plans.review(late)).record.state, State::starting);
}

// R17: a finished run can be retried by hand once; both are linked.
TEST_P(StoreContract, RetriesByHandOnce) {
  const RunId first = whole_life(draft()).id;
  run::Record again = draft();
  const Written made = must(record(run::Submitted{again, "", "", first}));
  EXPECT_EQ(made.record.attempt, 2);
  EXPECT_EQ(found(again.id).chain, first.str());
  EXPECT_EQ(found(first).retried_by, again.id.str());
  EXPECT_EQ(listed({.chain = first.str()}), (Ids{again.id, first}));
  EXPECT_EQ(reason_of(record(run::Submitted{draft(), "", "", first})), "already_retried");
  EXPECT_EQ(reason_of(record(run::Submitted{draft(), "", "", again.id})), "not_ended");
  EXPECT_EQ(reason_of(record(run::Submitted{draft(), "", "", ids.next()})), "not_found");
  // Once more, if that attempt was deleted: it could no longer be retried itself.
  must(end(again.id));
  must(remove(again.id));
  const run::Record third = draft();
  must(record(run::Submitted{third, "", "", first}));
  EXPECT_EQ(found(first).retried_by, third.id.str());
}

// R17: a cancel and a finish at the same time: either the cancel was first and there is no other
// attempt, or there is one, and it can be canceled in turn.
TEST_P(StoreContract, ACancelEndsTheChain) {
  Plans plans(*this);
  for (int round = 0; round < 20; ++round) {
    const RunId first = plans.with_retries(5).id;
    const RunId second = ids.next();
    run::Ended fact = ended(first, 1);
    fact.next = second;
    {
      std::latch ready(2);
      const std::jthread canceling([&] {
        ready.arrive_and_wait();
        (void)write_to(*store, run::Fact(run::CancelRequested{first}));
      });
      ready.arrive_and_wait();
      must(write_to(*store, run::Fact(fact)));
    }
    const bool fenced = found(first).cancel_requested;
    EXPECT_EQ(must(store->find(second)).has_value(), !fenced);
    EXPECT_EQ(found(first).retried_by.empty(), fenced);
  }
}

}  // namespace
}  // namespace drover::store
