// The contract of a Store: compaction. Of a removed run one row of evidence stays, and answers as
// before.
#include <algorithm>
#include <boost/json/serialize.hpp>

#include "run/event_data.h"
#include "run/permanent_status.h"
#include "store/refused_request.h"
#include "store/store_contract.h"
#include "store/stored_run.h"

namespace drover::store {
namespace {

using run::State;

std::string status(StoreContract& t, const RunId& id) {
  run::PermanentStatus status;
  for (const run::Event& event : t.history(id)) status.see(event);
  return boost::json::serialize(status.describe({}));
}

// Removes and compacts the run, and expects the same answers as before.
void expect_same_after_compaction(StoreContract& t, const RunId& id) {
  const std::string before = status(t, id);
  const auto end = must(t.store->final_event(id));
  must(t.remove(id));
  EXPECT_EQ(status(t, id), before);
  t.add_newer_event();
  EXPECT_EQ(t.compact({}).removed, 1);
  EXPECT_EQ(status(t, id), before);
  const auto left = must(t.store->final_event(id));
  ASSERT_TRUE(end && left) << before;
  EXPECT_EQ(left->seq, end->seq);
  EXPECT_EQ(left->run_seq, end->run_seq);
  EXPECT_EQ(left->type, end->type);
  EXPECT_EQ(left->time, end->time);
  EXPECT_EQ(left->trace_id, end->trace_id);
  EXPECT_EQ(left->scope, end->scope);
  EXPECT_TRUE(left->is_final);
  const run::Record then = run::record_of(*end);
  const run::Record now = run::record_of(*left);
  EXPECT_EQ(now.exit_code, then.exit_code);
  EXPECT_EQ(now.signal, then.signal);
  EXPECT_EQ(now.failed_step, then.failed_step);
  EXPECT_EQ(now.launch_error, then.launch_error);
  EXPECT_EQ(now.kind, then.kind);
  EXPECT_EQ(now.stdout_bytes, then.stdout_bytes);
  EXPECT_EQ(now.stderr_bytes, then.stderr_bytes);
  EXPECT_EQ(now.cancel_requested, then.cancel_requested);
  EXPECT_EQ(now.retried_by, then.retried_by);
  EXPECT_EQ(t.types(id), Types{end->type});  // The timeline is the final event.
}

// H2, H4, R9: however a run ended, its handle resolves to the same bytes.
TEST_P(StoreContract, CompactedRunsAnswerAsBefore) {
  clock.advance_ms(5);
  expect_same_after_compaction(*this, whole_life(draft()).id);
  expect_same_after_compaction(*this, whole_life(draft(), 7).id);

  run::Record other = draft("default", "world/chat/7");
  other.trace_id = "0123456789abcdef0123456789abcdef";
  other.parent_run_id = draft().id.str();
  expect_same_after_compaction(*this, whole_life(other, 1).id);

  const RunId unstarted = submit("parked-lane").id;
  must(set_lane("parked-lane", 1));
  must(record(run::CancelRequested{unstarted}));
  if (!run::is_finished(found(unstarted).state)) must(end(unstarted));
  expect_same_after_compaction(*this, unstarted);

  const RunId lost = submit().id;
  run::Ended abandoned = ended(lost, 0);
  abandoned.ending = run::Unknown{run::Reason::keeper_lost};
  must(record(abandoned));
  expect_same_after_compaction(*this, lost);

  const RunId slow = submit().id;
  clock.advance_ms(3'000);
  must(start(slow));
  clock.advance_ms(90'000'000);
  run::Ended timeout = ended(slow, 0);
  timeout.ending = run::Killed{9, true};
  timeout.cause = StopCause::timeout;
  timeout.stdout_bytes = 5'000'000'000;
  timeout.stderr_bytes = 1;
  must(record(timeout));
  EXPECT_EQ(found(slow).state, State::timed_out);
  expect_same_after_compaction(*this, slow);

  const RunId unlaunched = submit().id;
  run::Ended failed = ended(unlaunched, 0);
  failed.started_at = 0;
  failed.ending = run::NotLaunched{LaunchStep::exec, ENOENT, std::string(400, 'x')};
  must(record(failed));
  EXPECT_EQ(found(unlaunched).state, State::failed);
  expect_same_after_compaction(*this, unlaunched);
}

// R9: one row for each removed run, and nothing else, however many go through.
TEST_P(StoreContract, GrowsByTheEvidenceAlone) {
  StoreSizes first;
  for (int round = 0; round < 6; ++round) {
    Ids ids;
    for (int i = 0; i < 120; ++i) {
      run::Record r = draft("default", i % 2 == 0 ? "default" : "world/chat");
      r.labels = {{"a", "b"}};
      ids.push_back(must(record(run::Submitted{r, "key" + r.id.str(), "digest"})).record.id);
      must(end(ids.back(), i % 3));
    }
    for (const RunId& id : ids) must(remove(id));
    clock.advance_ms(1'000);
    add_newer_event();
    while (compact({}).more) {
    }
    while (compact({.what = Compacts::other_events, .keep = 1}).more) {
    }
    while (compact({.what = Compacts::keys}).more) {
    }
    const StoreSizes now = must(store->sizes());
    if (round == 0) first = now;
    EXPECT_EQ(now.evidence, 120 * (round + 1));
    EXPECT_EQ(now.events, first.events);
    EXPECT_EQ(now.runs, 0);
    EXPECT_EQ(now.keys, 0);
  }
}

// A run that is stored, and one that was removed a moment ago, keep their events.
TEST_P(StoreContract, CompactionKeepsStoredAndRecentRuns) {
  const RunId stored = whole_life(draft()).id, recent = whole_life(draft()).id;
  clock.advance_ms(1'000);
  must(remove(recent));
  add_newer_event();
  const auto before = types(recent);
  EXPECT_EQ(compact({.before = clock.wall_ms()}).removed, 0);
  EXPECT_EQ(types(recent), before);
  EXPECT_EQ(must(store->compacted_through()), 0);
  EXPECT_EQ(compact({}).removed, 1);
  EXPECT_EQ(types(stored).size(), 4U);
}

// The cursor of a follower, and the newest event, hold compaction back; seq only increases.
TEST_P(StoreContract, CompactionKeepsWhatAFollowerHasNotRead) {
  const RunId id = whole_life(draft()).id;
  must(remove(id));
  const std::int64_t last = history(id).back().seq;
  EXPECT_EQ(compact({}).removed, 0) << "the newest event";
  add_newer_event();
  EXPECT_EQ(compact({.through = last - 1}).removed, 0);
  EXPECT_EQ(compact({.through = last}).removed, 1);
  EXPECT_EQ(must(store->compacted_through()), last);
  EXPECT_GT(history(submit().id).front().seq, last + 1);
}

// After compaction, the id of a removed run means the same as before.
TEST_P(StoreContract, TheIdOfACompactedRunStaysTaken) {
  run::Record r = draft();
  const RunId id = whole_life(r, 3).id;
  must(remove(id));
  const Result<Written> resubmitted = record(run::Submitted{r, "", ""});
  add_newer_event();
  EXPECT_EQ(compact({}).removed, 1);
  EXPECT_EQ(reason_of(record(run::Submitted{r, "", ""})), reason_of(resubmitted));
  EXPECT_EQ(must(store->find(id)), std::nullopt);
  EXPECT_EQ(reason_of(end(id)), "not_found");
  EXPECT_EQ(reason_of(remove(id)), "not_found");
  EXPECT_EQ(reason_of(cancel(id)), "not_found");
  run::Record again = draft();
  EXPECT_EQ(
      reason_of(record(run::Submitted{.record = again, .key = "", .digest = "", .retries = id})),
      "not_found");
  const auto evidence = must(find_stored_run(*store, id));
  ASSERT_TRUE(evidence);
  EXPECT_TRUE(evidence->deleted);
  EXPECT_EQ(evidence->record.exit_code, 3);
}

// R17: a run may still wait for one that is gone.
TEST_P(StoreContract, DependenciesOnCompactedRuns) {
  const RunId good = whole_life(draft()).id, bad = whole_life(draft(), 1).id;
  must(remove(good));
  must(remove(bad));
  add_newer_event();
  EXPECT_EQ(compact({}).removed, 2);
  run::Record waits = draft();
  waits.after = {good};
  EXPECT_EQ(submit(waits).state, State::starting);
  run::Record never = draft();
  never.after = {bad};
  EXPECT_EQ(submit(never).reason, run::Reason::dependency_failed);
}

// Keys: gone with their age, but never while the run, or the run that started it, is stored.
TEST_P(StoreContract, KeysHaveAnAge) {
  const run::Record parent = submit(), stored = draft(), removed = draft();
  run::Record part = draft();
  part.parent_run_id = parent.id.str();
  for (const run::Record& r : {stored, removed, part}) {
    must(record(run::Submitted{r, "key " + r.id.str(), "digest"}));
    must(end(r.id));
  }
  must(remove(removed.id));
  must(remove(part.id));
  add_newer_event();
  const auto knows = [&](const run::Record& r) {
    return must(store->knows_key("default", "key " + r.id.str()));
  };
  EXPECT_EQ(compact({.what = Compacts::keys}).removed, 0) << "the events are still there";
  EXPECT_EQ(compact({}).removed, 2);
  EXPECT_EQ(compact({.what = Compacts::keys, .before = removed.id.time()}).removed, 0) << "young";
  EXPECT_TRUE(knows(removed));
  EXPECT_EQ(reason_of(record(run::Submitted{draft(), "key " + removed.id.str(), "digest"})),
            "idempotency_key_reused");
  clock.advance_ms(1);
  EXPECT_EQ(compact({.what = Compacts::keys}).removed, 1);
  EXPECT_TRUE(knows(stored));
  EXPECT_TRUE(knows(part));
  EXPECT_FALSE(knows(removed));
  // A repeated request starts a new run.
  EXPECT_FALSE(must(record(run::Submitted{draft(), "key " + removed.id.str(), "digest"})).replayed);
}

// Of events about other things the newest of each sort stay; the events of runs are not touched.
TEST_P(StoreContract, OtherEventsHaveABound) {
  const RunId id = whole_life(draft()).id;
  for (int i = 1; i <= 9; ++i) must(set_lane("gpu", i));
  for (int i = 0; i < 3; ++i) {
    must(write(Work([i](Transaction& t) {
      return t.append(
          {.subject = "thing/" + std::to_string(i), .type = "thing.seen", .scope = "a/b"});
    })));
  }
  EXPECT_EQ(compact({.what = Compacts::other_events, .before = 1, .keep = 2}).removed, 0);
  EXPECT_EQ(compact({.what = Compacts::other_events, .through = 0, .keep = 2}).removed, 0);
  EXPECT_EQ(compact({.what = Compacts::other_events, .keep = 2}).removed, 8);
  EXPECT_EQ(must(store->events({.about = "lane"})).size(), 2U);
  EXPECT_EQ(must(store->events({.scope = "a"})).size(), 2U);
  EXPECT_EQ(must(store->events({.scope = "a"})).back().other, "thing/2");
  EXPECT_EQ(types(id).size(), 4U);
  EXPECT_GT(must(store->compacted_through()), 0);
  must(set_lane("gpu", 20));  // Continues the subject's own numbers.
  EXPECT_EQ(must(store->events({.about = "lane"})).back().run_seq, 10);
}

// `retention.evidence`: after it the run is unknown.
TEST_P(StoreContract, EvidenceMayHaveAnAge) {
  const RunId old = whole_life(draft()).id;
  clock.advance_ms(1'000);
  const RunId young = whole_life(draft()).id;
  must(remove(old));
  must(remove(young));
  add_newer_event();
  EXPECT_EQ(compact({}).removed, 2);
  EXPECT_EQ(compact({.what = Compacts::evidence, .before = clock.wall_ms()}).removed, 1);
  EXPECT_FALSE(must(store->final_event(old)));
  EXPECT_TRUE(must(store->final_event(young)));
}

// A long history is compacted in steps, and continued by the next daemon.
TEST_P(StoreContract, CompactionGoesInSteps) {
  Ids ids;
  const int all = 2 * limits::kCompactedRunsMax + 1;
  for (int i = 0; i < all; ++i) {
    ids.push_back(whole_life(draft()).id);
    must(remove(ids.back()));
  }
  add_newer_event();
  const Compacted step = compact({});
  EXPECT_EQ(step.removed, limits::kCompactedRunsMax);
  EXPECT_TRUE(step.more);
  EXPECT_EQ(compact({}).removed, limits::kCompactedRunsMax);
  const Compacted last = compact({});
  EXPECT_EQ(last.removed, 1);
  EXPECT_FALSE(last.more);
  EXPECT_EQ(compact({}).step, 0) << "nothing to write";
  for (const RunId& id : ids) EXPECT_EQ(types(id), Types{"run.completed"});
}

}  // namespace
}  // namespace drover::store
