#include "dispatch/readiness/readiness.h"

#include <boost/asio/co_spawn.hpp>
#include <fstream>

#include "dispatch/dispatcher_fixture.h"
#include "dispatch/readiness/probe_record.h"

namespace drover::dispatch {
namespace {

store::sqlite::Options with_probes() {
  store::sqlite::Options options = drover::testing::with_tours();
  options.rooms.push_back(kProbeTables);
  return options;
}

class ReadinessTest : public RunDispatcherTest {
 protected:
  ReadinessTest() : RunDispatcherTest(with_probes()) {}

  // A daemon whose clock the test turns.
  void SetUp() override {
    RunDispatcherTest::SetUp();
    close_world();
    world_.emplace(home_, clock_of_daemon_, breaking_, *options_.kinds);
    ASSERT_TRUE(world_->await(world_->dispatcher.recover(breaking_)));
  }
  void TearDown() override { close_world(); }

  Result<> check() { return world_->await(world_->dispatcher.check_ready()); }
  // The id of the latest probe; empty: there was none.
  std::string latest() {
    const auto rows = store_.query("SELECT id FROM probe", {}).value();
    return rows.empty() ? "" : rows.front()[0].text();
  }
  RunId run_and_wait() {
    const RunId id = submit(shell("exit 0"));
    until_ended(id);
    return id;
  }

  drover::testing::ManualClock clock_of_daemon_{SystemClock().wall_ms()};
};

// A probe is in no list, no log, no directory: nothing of it remains but one row.
TEST_F(ReadinessTest, AProbeLeavesNoHistory) {
  const auto seq = store_.last_seq().value();
  EXPECT_TRUE(world_->await(world_->dispatcher.probe()));
  EXPECT_TRUE(world_->await(world_->dispatcher.probe()));
  EXPECT_EQ(store_.last_seq().value(), seq);
  EXPECT_TRUE(store_.list({}).value().empty());
  EXPECT_EQ(run_files(), 0U);
  EXPECT_EQ(store_.query("SELECT step FROM probe", {}).value(), (store::Table{{"ended"}}));
}

// A run that has just started and finished proves readiness: no probe is started. An idle daemon
// starts one for all callers, and the next only when the proof is too old.
TEST_F(ReadinessTest, StartsAProbeOnlyWithoutAProof) {
  run_and_wait();
  EXPECT_TRUE(check());
  EXPECT_EQ(latest(), "");
  const std::int64_t age_ms = std::chrono::milliseconds(kReadyAgeMax).count();
  clock_of_daemon_.advance_ms(age_ms + 1);
  EXPECT_EQ(latest(), "");  // Without a caller there is none.
  int answers = 0;
  breaking_.break_write(0, drover::testing::BreakWhen::before);  // Counts writes from here.
  for (int caller = 0; caller < 50; ++caller) {
    asio::co_spawn(world_->loop, world_->dispatcher.check_ready(),
                   [&](const std::exception_ptr&, const Result<>& ready) {
                     EXPECT_TRUE(ready);
                     ++answers;
                   });
  }
  until_true([&] { return answers == 50; });
  EXPECT_EQ(breaking_.writes(), 2);  // Its start and its end.
  const std::string first = latest();
  clock_of_daemon_.advance_ms(age_ms);
  EXPECT_TRUE(check());
  EXPECT_EQ(latest(), first);
  clock_of_daemon_.advance_ms(1);
  EXPECT_TRUE(check());
  EXPECT_NE(latest(), first);
}

// A run that was started long ago says nothing about starting one now.
TEST_F(ReadinessTest, AnOldStartDoesNotCount) {
  const RunId id =
      submit(shell("while [ ! -e " + directory_.file("go") + " ]; do sleep 0.01; done"));
  until(id, [](const run::Record& r) { return r.state == run::State::running; });
  clock_of_daemon_.advance_ms(std::chrono::milliseconds(kReadyAgeMax).count() + 1);
  std::ofstream(directory_.file("go")) << "";
  until_ended(id);
  EXPECT_TRUE(check());
  EXPECT_NE(latest(), "");
}

// A store that cannot write is named as the step, not more than one probe a second is started for
// it, and the daemon is ready again by itself.
TEST_F(ReadinessTest, NamesTheStoreAndRecovers) {
  breaking_.break_write(1, drover::testing::BreakWhen::before);
  const auto first = check();
  ASSERT_FALSE(first);
  EXPECT_EQ(first.error().reason, "not_ready_store");
  EXPECT_EQ(check().error().message, first.error().message);  // Without another probe.
  EXPECT_EQ(run_files(), 0U);
  clock_of_daemon_.advance_ms(std::chrono::milliseconds(kProbeEvery).count());
  EXPECT_TRUE(check());
}

}  // namespace
}  // namespace drover::dispatch
