#include "dispatch/ending/attempts.h"

#include <filesystem>

#include "dispatch/dispatcher_fixture.h"

namespace drover::dispatch {
namespace {

class AttemptsTest : public RunDispatcherTest {
 protected:
  void SetUp() override {
    RunDispatcherTest::SetUp();
    world_->spine.watch({});  // Nothing is launched.
    host_.emplace(world_->loop.get_executor(), home_, clock_, world_->reads, world_->spine,
                  run::only_commands());
    directories_.emplace(home_);
    attempts_.emplace(*host_, *directories_, ids_, TokenOf{},
                      ExactOutput{.may_have_reader = [this](const RunId&) { return has_reader_; },
                                  .may_remain = [this](const RunId&) { ++remains_; }});
    Submission submission = shell("exit 1");
    submission.spec.retry.max = 2;
    id_ = submit(std::move(submission));
  }
  bool prepare(run::Ended& ended, const Flight* flight) {
    return world_->await(attempts_->prepare(ended, flight));
  }
  void settle(const run::Ended& ended, const store::Written* written) {
    world_->await([](Attempts& attempts, const run::Ended& of,
                     const store::Written* as) -> asio::awaitable<bool> {
      co_await attempts.settle(of, as);
      co_return true;
    }(*attempts_, ended, written));
  }
  run::Ended failed() const { return {.id = id_, .ending = run::Exited{1}}; }

  IdMaker ids_{clock_};
  std::optional<Host> host_;
  std::optional<RunDirectories> directories_;
  std::optional<Attempts> attempts_;
  bool has_reader_ = true;
  int remains_ = 0;
  const Flight flight_{.program = "/bin/sh", .cwd = "/", .attempt = 1, .retries_left = 2};
  RunId id_;
};

// R17: before a finish that may be retried is recorded, the file of the next attempt exists.
TEST_F(AttemptsTest, WriteTheNextFile) {
  run::Ended ended = failed();
  EXPECT_TRUE(prepare(ended, &flight_));
  ASSERT_TRUE(ended.next);
  const auto command = process::read_command(home_.run_file(*ended.next));
  ASSERT_TRUE(command);
  EXPECT_EQ(std::ranges::count(command->environment, "DROVER_ATTEMPT=2"), 1);
  EXPECT_TRUE(command->keeps_environment);
}

// R11: the next attempt has an exact reader only if the last one may still have one. Output beyond
// the limit is reported: it may wait for a reader.
TEST_F(AttemptsTest, KnowExactReaders) {
  auto command = process::read_command(home_.run_file(id_));
  ASSERT_TRUE(command);
  command->has_exact_reader = true;
  std::filesystem::remove(home_.run_file(id_));
  ASSERT_TRUE(process::write_command(home_.run_file(id_), *command));
  for (const bool there : {true, false}) {
    has_reader_ = there;
    run::Ended ended = failed();
    EXPECT_TRUE(prepare(ended, &flight_));
    ASSERT_TRUE(ended.next);
    EXPECT_EQ(process::read_command(home_.run_file(*ended.next))->has_exact_reader, there);
    ended.receipt.emplace().dropped_bytes = there ? 1 : 0;
    settle(ended, nullptr);
  }
  EXPECT_EQ(remains_, 1);
}

// R17: a success, a run without attempts left and one that is no longer in flight get no next
// attempt.
TEST_F(AttemptsTest, WriteNoFileWithoutARetry) {
  run::Ended completed{.id = id_, .ending = run::Exited{0}}, last = failed(), gone = failed();
  EXPECT_TRUE(prepare(completed, &flight_));
  EXPECT_TRUE(prepare(gone, nullptr));
  Flight spent = flight_;
  spent.retries_left = 0;
  EXPECT_TRUE(prepare(last, &spent));
  EXPECT_FALSE(completed.next || last.next || gone.next);
  EXPECT_EQ(run_files(), 1U);
}

// While the store cannot be read, it is unknown whether the run was canceled: not yet.
TEST_F(AttemptsTest, WaitForTheStore) {
  run::Ended ended = failed();
  breaking_.break_reads(true);
  EXPECT_FALSE(prepare(ended, &flight_));
  breaking_.break_reads(false);
  EXPECT_TRUE(prepare(ended, &flight_));
  EXPECT_TRUE(ended.next);
}

// R17: a file whose attempt does not happen is removed; one whose attempt is recorded stays.
TEST_F(AttemptsTest, RemoveUnusedFiles) {
  for (const bool refused : {false, true}) {
    run::Ended ended = failed();
    ASSERT_TRUE(prepare(ended, &flight_));
    const store::Written alone;
    settle(ended, refused ? nullptr : &alone);
    EXPECT_EQ(run_files(), 1U);
  }
  run::Ended ended = failed();
  ASSERT_TRUE(prepare(ended, &flight_));
  const auto written = world_->await(world_->spine.record(ended));
  ASSERT_TRUE(written);
  EXPECT_EQ(written->also.size(), 1U);
  settle(ended, &*written);
  settle(ended, nullptr);
  directories_.reset();  // Waits for its janitor.
  EXPECT_EQ(run_files(), 2U);
}

}  // namespace
}  // namespace drover::dispatch
