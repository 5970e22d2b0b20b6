// Queries about a run give the same answers before and after its record is deleted.
#include "queries/evidence.h"

#include "queries/store_fixture.h"
#include "run/record_json.h"

namespace drover::queries {
namespace {

using Evidence = StoreTest;

// H4: the evidence of a deleted run has the same result and times as its record had. A run that
// never existed is not_found.
TEST_F(Evidence, OutlivesTheRecord) {
  const RunId id = submit("build", "app");
  EXPECT_EQ(find_evidence(store_, id.view())->record.state, run::State::starting);
  finish(id, 3);
  const auto before = find_evidence(store_, "build");
  ASSERT_TRUE(before);
  EXPECT_FALSE(before->deleted);
  remove(id);
  const auto after = find_evidence(store_, id.view());
  ASSERT_TRUE(after);
  EXPECT_TRUE(after->deleted);
  EXPECT_EQ(after->record.id, id);
  EXPECT_EQ(after->record.scope, "app");
  EXPECT_NE(after->record.started_at, 0);
  EXPECT_LT(after->record.started_at, after->record.finished_at);
  EXPECT_EQ(run::describe_end(after->record), run::describe_end(before->record));
  EXPECT_EQ(find_evidence(store_, ids_.next().view()).error().reason, "not_found");
}

// A run that was canceled while queued has no start time, even after it was deleted.
TEST_F(Evidence, OfACanceledQueuedRunHasNoStartTime) {
  must(store::LaneSet{.name = "default", .paused = true});
  const RunId id = submit();
  must(run::Fact(run::CancelRequested{id}));
  remove(id);
  const auto found = find_evidence(store_, id.view());
  ASSERT_TRUE(found);
  EXPECT_EQ(found->record.state, run::State::canceled);
  EXPECT_EQ(found->record.started_at, 0);
}

// H2: a handle is read from the events alone, and only by a complete id.
TEST_F(Evidence, HandlesNeedACompleteId) {
  const RunId id = submit("build");
  finish(id);
  remove(id);
  EXPECT_EQ(read_permanent_status(store_, id.view())->status(), "completed");
  EXPECT_FALSE(read_permanent_status(store_, "build"));
  EXPECT_FALSE(read_permanent_status(store_, id.view().substr(RunId::kPrefix.size())));
  EXPECT_FALSE(read_permanent_status(store_, ids_.next().view()));
}

// R17: the last attempt is found even if an attempt before it was deleted. If the last one was
// deleted, the last remaining attempt is returned.
TEST_F(Evidence, FollowsAttemptsAcrossADeletedOne) {
  run::Record first = draft();
  first.retry.max = 2;
  const RunId a = submit(first);
  const RunId b = ids_.next();
  const RunId c = ids_.next();
  finish(a, 1, b);
  clock_.advance_ms(3'600'000);  // Past the retry's start time.
  must(run::Fact(run::Reviewed{b}));
  finish(b, 1, c);
  const auto last = [&] {
    const auto found = last_attempt(store_, **store_.find(a));
    return found ? found->id : RunId();
  };
  EXPECT_EQ(last(), c);
  remove(b);
  EXPECT_EQ(last(), c);
  must(run::Fact(run::CancelRequested{c}));
  remove(c);
  EXPECT_EQ(last(), a);
}

}  // namespace
}  // namespace drover::queries
