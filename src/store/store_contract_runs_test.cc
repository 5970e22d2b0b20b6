// The contract of a Store: a run's life, its record and its evidence.
#include <algorithm>
#include <cerrno>

#include "store/store_contract.h"
#include "testing/store.h"

namespace drover::store {
namespace {

using run::Effect;
using run::State;

// The next daemon reads what is stored, not what the last one had in memory.
void restart(Store& store) {
  dynamic_cast<testing::TestStore&>(store).reopen();
}

// R1: every field of a record is read back as written, by the next daemon.
TEST_P(StoreContract, KeepsEveryFieldOfARecord) {
  run::Record r = draft("builds", "world/chat");
  r.kind = "command";
  r.name = "näme";
  r.command = {"sh", "-c", "echo \"a\\b\"\n", ""};
  r.cwd = "/some where";
  r.labels = {{"a", "1"}, {"b", ""}};
  r.parent_run_id = "run_parent";
  r.attempt = 3;
  r.on_restart = run::OnRestart::fail;
  r.grace_ms = 1234;
  const RunId id = submit(r).id;
  clock.advance_ms(10);
  must(start(id));
  const MonoNs canceled_at = must(cancel(id)).record.cancel_mono_ns;
  clock.advance_ms(10);
  run::Ended fact = ended(id, 0);
  fact.ending = run::Killed{9, true};
  fact.cause = StopCause::cancel;
  fact.exit_mono_ns = clock.mono_ns();
  fact.cpu_ms = 7;
  fact.peak_rss_bytes = 1'000'000;
  fact.stdout_bytes = 11;
  fact.stderr_bytes = 22;
  fact.receipt.emplace();
  fact.receipt->kill_at = 2;
  fact.receipt->killed_names = {"12 sleep"};
  const run::Record told = must(record(fact)).record;

  restart(*store);
  const run::Record kept = found(id);
  EXPECT_EQ(kept.number, told.number);
  EXPECT_EQ(kept.id, r.id);
  EXPECT_EQ(kept.trace_id, r.trace_id);
  EXPECT_EQ(kept.kind, r.kind);
  EXPECT_EQ(kept.scope, r.scope);
  EXPECT_EQ(kept.name, r.name);
  EXPECT_EQ(kept.state, State::canceled);
  EXPECT_EQ(kept.state, told.state);
  EXPECT_EQ(kept.reason, run::Reason::cancel_forced);
  EXPECT_EQ(kept.origin, run::Origin::owner);
  EXPECT_EQ(kept.message, told.message);
  EXPECT_FALSE(kept.message.empty());
  EXPECT_EQ(kept.exit_code, std::nullopt);
  EXPECT_EQ(kept.signal, 9);
  EXPECT_EQ(kept.command, r.command);
  EXPECT_EQ(kept.cwd, r.cwd);
  EXPECT_EQ(kept.labels, r.labels);
  EXPECT_EQ(kept.lane, r.lane);
  EXPECT_EQ(kept.attempt, 3);
  EXPECT_EQ(kept.parent_run_id, r.parent_run_id);
  EXPECT_EQ(kept.on_restart, r.on_restart);
  EXPECT_EQ(kept.grace_ms, 1234);
  EXPECT_EQ(kept.queued_at, r.queued_at);
  EXPECT_EQ(kept.started_at, r.queued_at + 10);
  EXPECT_EQ(kept.finished_at, r.queued_at + 20);
  EXPECT_EQ(kept.cpu_ms, 7);
  EXPECT_EQ(kept.peak_rss_bytes, 1'000'000);
  EXPECT_EQ(kept.stdout_bytes, 11);
  EXPECT_EQ(kept.stderr_bytes, 22);
  EXPECT_TRUE(kept.cancel_requested);
  EXPECT_EQ(kept.cancel_mono_ns, canceled_at);
  EXPECT_NE(canceled_at, 0);
  EXPECT_EQ(kept.receipt, told.receipt);
  EXPECT_FALSE(kept.receipt.empty());
  EXPECT_EQ(kept.events, std::ssize(history(id)));
}

// R1, R16, R17: so are the fields that most runs leave empty.
TEST_P(StoreContract, KeepsTheRareFieldsOfARecord) {
  const RunId first = submit("l").id, second = submit("l").id;
  must(start(first));
  must(record(run::Progressed{.id = first, .what = run::SaidProgress{.percent = 10}}));
  restart(*store);
  EXPECT_TRUE(found(first).progress.contains(R"("percent":10)")) << found(first).progress;

  run::Record r = draft("l");
  r.priority = 4;
  r.not_before = clock.wall_ms() + 60'000;
  r.after = {first};
  r.after_any = {second, first};
  r.retry = {.max = 2, .backoff_ms = 700, .on = {State::failed, State::timed_out}};
  r.chain = r.id.str();
  r.limits.memory_bytes = 1 << 20;
  r.limits.pids = 7;
  r.limits_by.memory = Enforcer::cgroup;
  submit(r);
  restart(*store);
  const run::Record kept = found(r.id);
  EXPECT_EQ(kept.state, State::queued);
  EXPECT_TRUE(kept.held);
  EXPECT_EQ(kept.priority, 4);
  EXPECT_EQ(kept.not_before, r.not_before);
  EXPECT_EQ(kept.after, r.after);
  EXPECT_EQ(kept.after_any, r.after_any);
  EXPECT_EQ(kept.retry, r.retry);
  EXPECT_EQ(kept.chain, r.chain);
  EXPECT_EQ(kept.limits.memory_bytes, r.limits.memory_bytes);
  EXPECT_EQ(kept.limits.pids, r.limits.pids);
  EXPECT_EQ(kept.limits_by.memory, Enforcer::cgroup);

  // Of a run that exited, and of a launch that failed and was retried.
  must(end(first, 7));
  const RunId impossible = submit("other").id;
  run::Ended failed = ended(impossible, 0);
  failed.started_at = 0;
  failed.ending = run::NotLaunched{LaunchStep::cwd, ENOENT, "/nowhere"};
  must(record(failed));
  const run::Record again = draft("other");
  must(record(run::Submitted{.record = again, .key = "", .digest = "", .retries = impossible}));
  restart(*store);
  EXPECT_EQ(found(first).exit_code, 7);
  EXPECT_EQ(found(impossible).failed_step, LaunchStep::cwd);
  EXPECT_EQ(found(impossible).launch_error, ENOENT);
  EXPECT_EQ(found(impossible).retried_by, again.id.str());
  EXPECT_EQ(found(again.id).chain, impossible.str());
  EXPECT_EQ(found(again.id).attempt, 2);
}

// H6: the step that failed and its errno are kept.
TEST_P(StoreContract, KeepsTheStepThatFailed) {
  const RunId id = submit().id;
  run::Ended fact = ended(id, 0);
  fact.started_at = 0;
  fact.ending = run::NotLaunched{LaunchStep::cwd, ENOENT, "/nowhere"};
  must(record(fact));
  const run::Record kept = found(id);
  EXPECT_EQ(kept.state, State::failed);
  EXPECT_EQ(kept.reason, run::Reason::launch_failed);
  EXPECT_EQ(kept.failed_step, LaunchStep::cwd);
  EXPECT_EQ(kept.launch_error, ENOENT);
  EXPECT_EQ(kept.started_at, 0);
}

// H6: a launch may fail at every step, and each is read back.
TEST_P(StoreContract, KeepsEveryStep) {
  for (auto step = LaunchStep::folder; step <= kLastLaunchStep;
       step = static_cast<LaunchStep>(static_cast<std::uint32_t>(step) + 1)) {
    const RunId id = submit().id;
    run::Ended fact = ended(id, 0);
    fact.started_at = 0;
    fact.ending = run::NotLaunched{step, EPERM, "x"};
    must(record(fact));
    EXPECT_EQ(found(id).failed_step, step) << name(step);
  }
}

// The events of a life are in order: run_seq dense from 1, seq only increasing, the same in the
// answer and in the log.
TEST_P(StoreContract, KeepsTheEventsOfALifeInOrder) {
  const RunId id = submit().id;
  const RunId other = submit().id;
  must(start(id));
  must(start(other));
  const Written last = must(end(id));
  EXPECT_EQ(types(id), (Types{"run.queued", "run.starting", "run.started", "run.completed"}));
  const auto events = history(id);
  for (size_t i = 0; i < events.size(); ++i) {
    EXPECT_EQ(events[i].run_seq, static_cast<std::int64_t>(i) + 1);
    if (i > 0) EXPECT_GT(events[i].seq, events[i - 1].seq);
    EXPECT_EQ(events[i].is_final, i + 1 == events.size());
    EXPECT_EQ(events[i].trace_id, id.trace_id());
    EXPECT_EQ(events[i].scope, "default");
  }
  ASSERT_EQ(last.events.size(), 1u);
  EXPECT_EQ(last.events[0].seq, events.back().seq);
  EXPECT_EQ(last.events[0].data, events.back().data);
  EXPECT_EQ(must(store->last_seq()), events.back().seq);
}

// R2, H7: an illegal step is refused with its reason, and changes nothing.
TEST_P(StoreContract, RefusesIllegalSteps) {
  const RunId nobody = ids.next();
  EXPECT_EQ(reason_of(claim(nobody)), "not_found");
  EXPECT_EQ(reason_of(start(nobody)), "not_found");
  EXPECT_EQ(reason_of(end(nobody)), "not_found");
  EXPECT_EQ(reason_of(cancel(nobody)), "not_found");
  EXPECT_EQ(reason_of(remove(nobody)), "not_found");
  EXPECT_EQ(must(store->last_seq()), 0);

  const RunId id = submit().id;
  EXPECT_EQ(reason_of(claim(id)), "illegal_transition");
  EXPECT_EQ(reason_of(remove(id)), "active_process_conflict");
  must(start(id));
  EXPECT_EQ(reason_of(remove(id)), "active_process_conflict");
  must(end(id, 1));
  const auto before = types(id);
  EXPECT_EQ(reason_of(end(id, 0)), "already_terminal");
  EXPECT_EQ(reason_of(start(id)), "already_terminal");
  EXPECT_EQ(types(id), before);
  EXPECT_EQ(found(id).exit_code, 1);
}

// A fact that already holds succeeds, says so and writes nothing.
TEST_P(StoreContract, SaysWhenNothingChanged) {
  const run::Record r = draft();
  submit(r);
  const Written again = must(record(run::Submitted{r, "", ""}));
  EXPECT_EQ(again.effect, Effect::none);
  EXPECT_FALSE(again.replayed);
  EXPECT_EQ(again.record.id, r.id);
  EXPECT_TRUE(again.events.empty());
  must(start(r.id));
  EXPECT_EQ(must(start(r.id)).effect, Effect::none);
  must(cancel(r.id));
  const auto seq = must(store->last_seq());
  EXPECT_EQ(must(cancel(r.id)).effect, Effect::none);
  must(end(r.id));
  EXPECT_EQ(must(cancel(r.id)).effect, Effect::none);
  EXPECT_EQ(must(store->last_seq()), seq + 1);
}

// R6: a run that is canceled while it waits has finished, and never takes a slot.
TEST_P(StoreContract, CancelsARunThatWaits) {
  must(set_lane("one", 1));
  submit("one");
  const RunId waiting = submit("one").id;
  EXPECT_EQ(found(waiting).state, State::queued);
  const Written canceled = must(cancel(waiting));
  EXPECT_EQ(canceled.record.state, State::canceled);
  EXPECT_EQ(canceled.events.size(), 2u);
  EXPECT_EQ(reason_of(claim(waiting)), "already_terminal");
  EXPECT_EQ(lane("one").queued, 0);
}

// R8, H4: a deletion removes the record and leaves the evidence.
TEST_P(StoreContract, DeleteKeepsTheEvidence) {
  run::Record r = draft("default", "world/chat");
  r.labels = {{"team", "core"}};
  const RunId id = whole_life(r, 3).id;
  const Written removed = must(remove(id));
  EXPECT_EQ(removed.effect, Effect::removed);
  ASSERT_EQ(removed.events.size(), 1u);
  EXPECT_EQ(removed.events[0].type, "run.deleted");

  EXPECT_EQ(must(store->find(id)), std::nullopt);
  EXPECT_TRUE(must(store->find_prefix(id.str(), 10)).empty());
  EXPECT_TRUE(listed({}).empty());
  EXPECT_TRUE(listed({.scope = "world"}).empty());
  EXPECT_TRUE(listed({.labels = {{"team", "core"}}}).empty());
  EXPECT_EQ(types(id).size(), 5u);
  const auto end_event = must(store->final_event(id));
  ASSERT_TRUE(end_event);
  EXPECT_EQ(end_event->type, "run.failed");
  EXPECT_EQ(end_event->run_seq, 4);
  EXPECT_EQ(reason_of(remove(id)), "not_found");
  // Its id stays used: no second history can be written over the first.
  EXPECT_EQ(reason_of(record(run::Submitted{r, "", ""})), "already_recorded");
  EXPECT_EQ(types(id).size(), 5u);
}

// A run has a final event when it has finished, and not before.
TEST_P(StoreContract, KnowsTheFinalEvent) {
  const RunId id = submit().id;
  EXPECT_EQ(must(store->final_event(id)), std::nullopt);
  EXPECT_EQ(must(store->final_event(ids.next())), std::nullopt);
  must(end(id, 0));
  EXPECT_EQ(must(store->final_event(id))->type, "run.completed");
}

// Numbers only increase; that of a deleted run is not reused.
TEST_P(StoreContract, NeverReusesANumber) {
  const run::Record first = whole_life(draft());
  must(remove(first.id));
  EXPECT_GT(submit().number, first.number);
}

}  // namespace
}  // namespace drover::store
