// While the store answers no read, the dispatcher continues with everything that needs none.
#include <fstream>

#include "dispatch/dispatcher_fixture.h"
#include "store/store_contract.h"

namespace drover::dispatch {
namespace {

using run::State;

class HangingReadsTest : public RunDispatcherTest {
 protected:
  void TearDown() override {
    breaking_.hold_writes(false);
    breaking_.hold_reads(false);
    RunDispatcherTest::TearDown();
  }
  // Another daemon, which has no record in memory. From its recovery on it can read nothing.
  void reopen_with_held_reads() {
    close_world();
    store_.reopen();
    world_.emplace(home_, clock_, breaking_, *options_.kinds);
    breaking_.hold_reads(true);
    ASSERT_TRUE(world_->await(world_->dispatcher.recover(store_)));
  }
  // A run that is adopted by that daemon, and its process.
  RunId adopted() {
    const std::string file = directory_.file("pid");
    const RunId id = submit(shell("echo $$ > " + file + "; exec sleep 1000"));
    until_true([&] { return static_cast<bool>(std::ifstream(file) >> command_); });
    until(id, [](const run::Record& r) { return r.state == State::running; });
    reopen_with_held_reads();
    return id;
  }
  // A run in a paused lane, and one that waits for its end, however it ends.
  std::pair<RunId, RunId> two_in_a_row() {
    EXPECT_TRUE(world_->await(
        world_->dispatcher.lanes().set({.name = "closed", .limit = 1, .paused = true})));
    const RunId first = submit(shell("exit 0", "closed"));
    Submission second = shell("exit 3");
    second.spec.after_any = {first};
    return {first, submit(std::move(second))};
  }

  pid_t command_ = 0;
};

// A request that waits for a read delays no run of others; it continues with the answer.
TEST_F(HangingReadsTest, DelayNobodyElse) {
  const RunId id = adopted();
  std::optional<Result<>> answer;
  asio::co_spawn(world_->loop, world_->dispatcher.signal(id, SIGKILL),
                 [&](const std::exception_ptr&, Result<> result) { answer = std::move(result); });
  until_true([&] { return breaking_.held_reads() > 0; });
  EXPECT_EQ(until_ended(submit(shell("exit 3"))).exit_code, 3);
  EXPECT_FALSE(answer);
  breaking_.hold_reads(false);
  until_true([&] { return answer.has_value(); });
  EXPECT_TRUE(*answer);
  EXPECT_EQ(until_ended(id).state, State::failed);
}

// R4, R6: a disk that hangs delays no cancel, also of a run whose record is not in memory.
TEST_F(HangingReadsTest, DelayNoCancel) {
  const RunId id = adopted();
  breaking_.hold_writes(true);
  EXPECT_EQ(cancel(id, 0), CancelOutcome::cancel_requested);
  until_true([&] { return ::kill(command_, 0) != 0; });
  EXPECT_EQ(find(id).state, State::running) << "nothing could be recorded";
  breaking_.hold_writes(false);
  breaking_.hold_reads(false);
  EXPECT_EQ(until_ended(id).state, State::canceled);
}

// R17: a run that ends while the store is asked about it starts those that wait for it.
TEST_F(HangingReadsTest, HideNoEndFromWaitingRuns) {
  const auto [first, second] = two_in_a_row();
  reopen_with_held_reads();
  until_true([&] { return breaking_.held_reads() > 0; });
  EXPECT_EQ(cancel(first), CancelOutcome::canceled);
  EXPECT_EQ(until_ended(second).exit_code, 3);
}

// R17: a run that had ended before the store is asked about it starts those that wait for it, too.
TEST_F(HangingReadsTest, HideNoEarlierEndFromWaitingRuns) {
  const auto [first, second] = two_in_a_row();
  close_world();
  store::must(store::write_to(store_, run::Fact(run::CancelRequested{.id = first})));
  reopen_with_held_reads();
  until_true([&] { return breaking_.held_reads() > 0; });
  EXPECT_EQ(find(second).state, State::queued);
  breaking_.hold_reads(false);
  EXPECT_EQ(until_ended(second).exit_code, 3);
}

}  // namespace
}  // namespace drover::dispatch
