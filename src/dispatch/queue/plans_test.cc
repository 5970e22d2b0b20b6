// The dispatcher carries out plans, also when the store breaks at every write.
#include <fstream>

#include "dispatch/dispatcher_fixture.h"

namespace drover::dispatch {
namespace {

class PlansTest : public RunDispatcherTest {
 protected:
  Submission after(const RunId& other, const std::string& script = "exit 0") {
    Submission s = shell(script);
    s.spec.after = {other};
    return s;
  }
  Submission retrying(const std::string& script, int max) {
    Submission s = shell(script);
    s.spec.retry = {.max = max, .backoff_ms = 1, .on = {}};
    return s;
  }
  run::Record until_final(RunId id) {
    while (true) {
      const run::Record record = until_ended(id);
      const auto next = RunId::parse(record.retried_by);
      if (!next) return record;
      id = *next;
    }
  }
};

// R17: whatever the store does, a waiting run starts once its dependency has completed.
TEST_F(PlansTest, WaitsThroughABreakAtEveryWrite) {
  for (const auto when : {drover::testing::BreakWhen::before, drover::testing::BreakWhen::after}) {
    for (int n = 1;; ++n) {
      SCOPED_TRACE(n);
      breaking_.break_write(n, when);
      auto first = world_->await(world_->dispatcher.submit(shell("exit 0")));
      if (!first) continue;  // The submission itself failed, and its caller knows.
      auto second = world_->await(world_->dispatcher.submit(after(first->record.id)));
      if (!second) continue;
      EXPECT_EQ(until_ended(second->record.id).state, run::State::completed);
      if (!breaking_.broke()) break;
    }
  }
}

// R17: the same for a run that is retried: each attempt exists once, and the last is the last.
TEST_F(PlansTest, RetriesThroughABreakAtEveryWrite) {
  for (const auto when : {drover::testing::BreakWhen::before, drover::testing::BreakWhen::after}) {
    for (int n = 1;; ++n) {
      SCOPED_TRACE(n);
      const size_t before = run_files();
      breaking_.break_write(n, when);
      auto first = world_->await(world_->dispatcher.submit(retrying("exit 1", 2)));
      if (!first) continue;
      EXPECT_EQ(until_final(first->record.id).attempt, 3);
      EXPECT_EQ(store_.list({.chain = first->record.id.str()})->size(), 3U);
      EXPECT_EQ(run_files(), before + 3);
      if (!breaking_.broke()) break;
    }
  }
}

// R17: a success leaves no file of an attempt that did not happen.
TEST_F(PlansTest, LeavesNothingBehind) {
  EXPECT_EQ(until_final(submit(retrying("exit 0", 5))).attempt, 1);
  const RunId canceled = submit(retrying("sleep 1000", 5));
  until(canceled, [](const run::Record& r) { return r.state == run::State::running; });
  EXPECT_EQ(cancel(canceled), CancelOutcome::cancel_requested);
  EXPECT_EQ(until_final(canceled).attempt, 1);
  EXPECT_EQ(run_files(), 2U);
}

// R17: if a run's file is missing, its finish is final, and it is not retried.
TEST_F(PlansTest, IsNotRetriedWithoutItsFile) {
  const RunId id = submit(retrying("exit 1", 5));
  std::filesystem::remove(home_.run_file(id));
  const run::Record record = until_final(id);
  EXPECT_EQ(record.attempt, 1);
  EXPECT_EQ(record.state, run::State::failed);
}

// R17: a new daemon continues with every waiting run.
TEST_F(PlansTest, AnotherDaemonContinues) {
  const RunId first =
      submit(shell("while [ ! -e " + directory_.file("go") + " ]; do sleep 0.01; done"));
  const RunId second = submit(after(first));
  Submission again = retrying("[ $DROVER_ATTEMPT = 2 ]", 3);
  again.spec.after = {second};
  const RunId third = submit(again);
  reopen_world();
  reopen_world();
  EXPECT_EQ(find(second).state, run::State::queued);
  std::ofstream(directory_.file("go")).put('x');
  EXPECT_EQ(until_ended(second).state, run::State::completed);
  const run::Record last = until_final(third);
  EXPECT_EQ(last.state, run::State::completed);
  EXPECT_EQ(last.attempt, 2);
}

}  // namespace
}  // namespace drover::dispatch
