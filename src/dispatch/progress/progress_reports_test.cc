// Reports of progress with real runs: recorded, merged, and never lost.
#include "dispatch/dispatcher_fixture.h"
#include "run/event_data.h"

namespace drover::dispatch {
namespace {

using run::State;

class ProgressReportsTest : public RunDispatcherTest {
 protected:
  RunId running() {
    const RunId id = submit(shell("sleep 1000"));
    until(id, [](const run::Record& r) { return r.state == State::running; });
    return id;
  }
  std::string say(const RunId& id, int percent) {
    const auto outcome = world_->await(world_->dispatcher.say_progress(id, {.percent = percent}));
    if (!outcome) return outcome.error().reason;
    return *outcome == ProgressOutcome::recorded ? "recorded" : "deferred";
  }
  std::vector<std::int64_t> percents(const RunId& id) {
    std::vector<std::int64_t> out;
    for (const run::Event& event : store_.events({.run = id}).value()) {
      if (event.type != "run.progress") continue;
      out.push_back(run::data_of(event).at("percent").as_int64());
    }
    return out;
  }
};

// R12: the first report is recorded at once. Those of the same second are merged, and the last one
// is recorded when the second is over.
TEST_F(ProgressReportsTest, AreMergedAndTheLastCounts) {
  const RunId id = running();
  EXPECT_EQ(say(id, 1), "recorded");
  for (int percent = 2; percent <= 50; ++percent) (void)say(id, percent);
  until_true([&] { return percents(id).back() == 50; });
  EXPECT_LT(percents(id).size(), 50u);
  cancel(id, 0);
  until_ended(id);
  EXPECT_EQ(say(id, 51), "not_running");
}

// R12: a report that waits is recorded with the end, before the final event.
TEST_F(ProgressReportsTest, AreRecordedBeforeTheEnd) {
  const RunId id = running();
  EXPECT_EQ(say(id, 1), "recorded");
  for (int percent = 2; percent <= 9; ++percent) (void)say(id, percent);
  cancel(id, 0);
  until_ended(id);
  EXPECT_EQ(percents(id).back(), 9);
  const auto types = history(id);
  EXPECT_EQ(types.back(), "run.canceled");
  EXPECT_EQ(std::ranges::count(types, "run.progress"), std::ssize(percents(id)));
}

// A report of a run whose start is not recorded yet waits for it: nothing comes before the start.
TEST_F(ProgressReportsTest, WaitForTheStart) {
  const RunId id = submit(shell("sleep 1000"));
  const std::string outcome = say(id, 7);
  until_true([&] { return !percents(id).empty(); });
  const auto types = history(id);
  EXPECT_LT(std::ranges::find(types, "run.started"), std::ranges::find(types, "run.progress"));
  cancel(id, 0);
  until_ended(id);
}

// While the disk is full, a report that waits is kept and recorded later.
TEST_F(ProgressReportsTest, SurviveAFullDisk) {
  const RunId id = running();
  EXPECT_EQ(say(id, 1), "recorded");
  int percent = 2;
  while (say(id, percent) != "deferred") ++percent;  // A slow machine: the second was over.
  breaking_.break_write(1, drover::testing::BreakWhen::before);
  until_true([&] { return percents(id).back() == percent; });
  cancel(id, 0);
  until_ended(id);
}

}  // namespace
}  // namespace drover::dispatch
