// The dispatcher with a real cradle and real commands, over a store that can be broken.
#include "dispatch/run_dispatcher.h"

#include <gtest/gtest.h>
#include <signal.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "dispatch/dispatcher_fixture.h"
#include "dispatch/files/retention.h"
#include "log/log.h"

namespace drover::dispatch {
namespace {

using run::State;

// R1, R2: a command that exits with 0 is recorded as completed, with every event of its life.
TEST_F(RunDispatcherTest, RunsACommandToItsFinish) {
  const RunId id = submit(shell("exit 0"));
  const run::Record record = until_ended(id);
  EXPECT_EQ(record.state, State::completed);
  EXPECT_EQ(record.reason, run::Reason::exit_zero);
  EXPECT_EQ(history(id), kWholeLife);
}

// R1: whatever the store does, a run finishes once and its history stays consistent. A command
// whose run could not be recorded is never executed, and any other exactly once.
TEST_F(RunDispatcherTest, SurvivesABreakAtEveryCall) {
  using drover::testing::BreakWhen;
  const std::string ran = directory_.file("ran");
  for (const BreakWhen when : {BreakWhen::before, BreakWhen::after}) {
    for (int n = 1;; ++n) {
      SCOPED_TRACE(n);
      breaking_.break_write(n, when);
      auto written = world_->await(world_->dispatcher.submit(shell("echo x >> " + ran)));
      if (!written) {  // Refused: then there is no such run, and no file of it.
        EXPECT_EQ(written.error().code, ErrorCode::unavailable);
        EXPECT_EQ(run_files(), store_.list({})->size());
        continue;
      }
      const RunId id = written->record.id;
      EXPECT_EQ(until_ended(id).state, State::completed);
      EXPECT_EQ(history(id), kWholeLife);
      // The slot becomes free again, derived from the records alone.
      while (world_->dispatcher.lanes().active() != 0) {
        world_->loop.restart();
        world_->loop.run_one();
      }
      if (!breaking_.broke()) break;
    }
  }
  std::vector<run::Record> all = store_.list({}).value();
  for (const run::Record& each : all) until_ended(each.id);
  EXPECT_EQ(read_file(ran, 1 << 20).value().size(), 2 * all.size());
}

// A key that was used before creates no second run, and leaves no file of one.
TEST_F(RunDispatcherTest, AKeyCreatesOneFile) {
  Submission submission = shell("exit 0");
  submission.spec.key = "k";
  submission.digest = "d";
  const RunId id = submit(submission);
  EXPECT_EQ(submit(submission), id);
  submission.digest = "another";
  EXPECT_EQ(world_->await(world_->dispatcher.submit(submission)).error().code, ErrorCode::conflict);
  EXPECT_EQ(run_files(), 1U);
  until_ended(id);
}

// A claim that the store could not write is tried again; one that landed without an answer is acted
// on.
TEST_F(RunDispatcherTest, AWaitingRunSurvivesABreak) {
  using drover::testing::BreakWhen;
  for (const BreakWhen when : {BreakWhen::before, BreakWhen::after}) {
    const std::string go = directory_.file(when == BreakWhen::before ? "before" : "after");
    const RunId first = submit(shell("while ! [ -e " + go + " ]; do sleep 0.01; done", "one"));
    const RunId second = submit(shell("exit 0", "one"));
    until(first, [](const run::Record& r) { return r.state == State::running; });
    EXPECT_EQ(find(second).state, State::queued);
    breaking_.break_write(2, when);  // The finish of the first, then the claim of the second.
    ASSERT_TRUE(replace_file(go, ""));
    EXPECT_EQ(until_ended(second).state, State::completed);
    EXPECT_TRUE(breaking_.broke());
    EXPECT_EQ(history(second), kWholeLife);
  }
}

// R6: a queued run that is canceled has finished at once, and never spawns.
TEST_F(RunDispatcherTest, CancelsAQueuedRun) {
  const RunId first = submit(shell("sleep 1000", "one"));
  const RunId second = submit(shell("echo never", "one"));
  EXPECT_EQ(find(second).state, State::queued);
  EXPECT_EQ(cancel(second), CancelOutcome::canceled);
  EXPECT_EQ(cancel(second), CancelOutcome::already_finished);
  EXPECT_EQ(cancel(first, 0), CancelOutcome::cancel_requested);
  until_ended(first);
  EXPECT_EQ(history(second),
            (std::vector<std::string>{"run.queued", "run.cancel_requested", "run.canceled"}));
  EXPECT_EQ(read_journal_state(home_.run_file(second))->liveness, Liveness::unclaimed);
}

// R6: a cancel that meets a start leaves the run canceled or completed, with a consistent history.
TEST_F(RunDispatcherTest, CancelsARunThatIsStarting) {
  for (int i = 0; i < 50; ++i) {
    const RunId id = submit(shell("exit 0"));
    cancel(id);
    const run::Record record = until_ended(id);
    EXPECT_TRUE(record.state == State::canceled || record.state == State::completed);
    EXPECT_EQ(record.events, static_cast<std::int64_t>(history(id).size()));
  }
}

// R4, R7: a cancel that is recorded before the exit decides; the receipt says what was done.
TEST_F(RunDispatcherTest, CancelsARunningRun) {
  const RunId id = submit(shell("sleep 1000"));
  until(id, [](const run::Record& r) { return r.state == State::running; });
  EXPECT_EQ(cancel(id), CancelOutcome::cancel_requested);
  EXPECT_EQ(cancel(id), CancelOutcome::cancel_repeated);
  const run::Record record = until_ended(id);
  EXPECT_EQ(record.state, State::canceled);
  EXPECT_EQ(record.reason, run::Reason::canceled_by_owner);
  EXPECT_NE(record.receipt.find("\"term_at\":\"2"), std::string::npos);
}

// R16: lanes respect their limit, in order, and a higher limit takes effect at once.
TEST_F(RunDispatcherTest, LanesRespectTheirLimit) {
  const RunId a = submit(shell("sleep 1000", "narrow"));
  const RunId b = submit(shell("sleep 1000", "narrow"));
  const RunId c = submit(shell("exit 0", "narrow"));
  until(a, [](const run::Record& r) { return r.state == State::running; });
  EXPECT_EQ(find(b).state, State::queued);
  ASSERT_TRUE(world_->await(world_->dispatcher.lanes().set({"narrow", 2})));
  until(b, [](const run::Record& r) { return r.state == State::running; });
  EXPECT_EQ(find(c).state, State::queued);
  cancel(a, 0);
  EXPECT_EQ(until_ended(c).state, State::completed);
  cancel(b, 0);
  until_ended(b);
}

// The cradle is killed: its keepers continue, their ends are recorded, and new runs start.
TEST_F(RunDispatcherTest, SurvivesTheLossOfItsCradle) {
  const std::string go = directory_.file("go");
  const RunId id = submit(shell("while ! [ -e " + go + " ]; do sleep 0.01; done; exit 6"));
  until(id, [](const run::Record& r) { return r.state == State::running; });
  ASSERT_EQ(::kill(cradle_of(id), SIGKILL), 0);
  until(submit(shell("exit 0")), [](const run::Record& r) { return run::is_finished(r.state); });
  ASSERT_TRUE(replace_file(go, ""));
  EXPECT_EQ(until_ended(id).exit_code, 6);
}

// A request that the cradle had not read when it was killed is sent again.
TEST_F(RunDispatcherTest, AsksTheNextCradle) {
  const RunId first = submit(shell("sleep 1000"));
  until(first, [](const run::Record& r) { return r.state == State::running; });
  const pid_t cradle = cradle_of(first);
  ASSERT_EQ(::kill(cradle, SIGSTOP), 0);
  const RunId id = submit(shell("exit 7"));
  ASSERT_EQ(::kill(cradle, SIGKILL), 0);
  EXPECT_EQ(until_ended(id).exit_code, 7);
  cancel(first, 0);
  until_ended(first);
}

// H10: another daemon over the same home adopts active runs, concludes finished ones, starts
// waiting ones; a third finds nothing to do.
TEST_F(RunDispatcherTest, RecoversInEveryState) {
  const std::string go = directory_.file("go");
  const RunId living = submit(shell("while ! [ -e " + go + " ]; do sleep 0.01; done; exit 4", "l"));
  const RunId waiting = submit(shell("exit 0", "l"));
  Submission unwanted = shell("exit 0", "l");
  unwanted.spec.on_restart = run::OnRestart::fail;
  const RunId failing = submit(std::move(unwanted));
  const RunId ending = submit(shell("exit 5"));
  until(living, [](const run::Record& r) { return r.state == State::running; });
  // Its keeper exits while no loop runs: the report is lost.
  while (read_journal_state(home_.run_file(ending))->liveness != Liveness::dead) ::sched_yield();
  close_world();

  world_.emplace(home_, clock_, breaking_);
  ASSERT_TRUE(world_->await(world_->dispatcher.recover(breaking_)));
  EXPECT_EQ(until_ended(ending).exit_code, 5);
  EXPECT_EQ(find(failing).state, State::failed);
  EXPECT_EQ(find(failing).reason, run::Reason::host_restarted);
  EXPECT_EQ(find(living).state, State::running);
  EXPECT_EQ(find(waiting).state, State::queued);
  const std::int64_t seq = store_.last_seq().value();
  close_world();

  world_.emplace(home_, clock_, breaking_);
  ASSERT_TRUE(world_->await(world_->dispatcher.recover(breaking_)));
  EXPECT_EQ(store_.last_seq().value(), seq);
  ASSERT_TRUE(replace_file(go, ""));
  EXPECT_EQ(until_ended(living).exit_code, 4);
  EXPECT_EQ(until_ended(waiting).state, State::completed);
  EXPECT_EQ(history(waiting), kWholeLife);
}

// R8, H2, H4: a deletion removes record and file, and leaves the evidence; an active run is not
// touched.
TEST_F(RunDispatcherTest, RemovesAFinishedRun) {
  const RunId id = submit(shell("sleep 1000"));
  EXPECT_EQ(world_->await(world_->dispatcher.remove(id)).error().reason, "active_process_conflict");
  EXPECT_TRUE(std::filesystem::exists(home_.run_file(id)));
  cancel(id, 0);
  until_ended(id);
  ASSERT_TRUE(world_->await(world_->dispatcher.remove(id)));
  EXPECT_FALSE(std::filesystem::exists(home_.run_file(id)));
  EXPECT_FALSE(store_.find(id).value());
  EXPECT_TRUE(store_.final_event(id).value());
  EXPECT_EQ(history(id).back(), "run.deleted");
  close_world();  // Waits for its janitor.
  EXPECT_TRUE(std::filesystem::is_empty(home_.trash()));
}

// R4, R6: a store that hangs delays no cancel: the run is stopped first, and the cancel is recorded
// when the store answers again.
TEST_F(RunDispatcherTest, ACancelDoesNotWaitForAStoreThatHangs) {
  const RunId id = submit(shell("echo $$ > " + directory_.file("pid") + "; exec sleep 1000"));
  until(id, [](const run::Record& r) { return r.state == run::State::running; });
  pid_t command = 0;
  until_true([&] { return static_cast<bool>(std::ifstream(directory_.file("pid")) >> command); });
  breaking_.hold_writes(true);
  EXPECT_EQ(cancel(id), CancelOutcome::cancel_requested);
  until_true([&] { return ::kill(command, 0) != 0; });
  EXPECT_EQ(find(id).state, run::State::running) << "nothing could be recorded";
  breaking_.hold_writes(false);
  EXPECT_EQ(until_ended(id).state, run::State::canceled);
}

// A composite that can be canceled, and whose leg finishes with it.
class WalkTest : public RunDispatcherTest {
 protected:
  static store::sqlite::Options with_walks() {
    static constexpr auto kWalk = std::to_array<run::Kind>({
        {.name = "walk",
         .composite = true,
         .phase = &drover::testing::tour_rule,
         .first_change = "packing"},
    });
    static const std::array<std::span<const run::Kind>, 2> kRooms{drover::testing::kTourKinds,
                                                                  kWalk};
    static const run::Kinds kinds(kRooms);
    auto options = drover::testing::with_tours();
    options.kinds = &kinds;
    return options;
  }
  WalkTest() : RunDispatcherTest(with_walks()) {}
};

// While the store cannot write, a cancel of a composite stops its running children; the composite's
// own cancel is recorded when there is room.
TEST_F(WalkTest, ACancelOfACompositeStopsItsChildrenOnAFullDisk) {
  Submission walk = shell("walk");
  walk.spec.kind = "walk";
  walk.spec.lane.clear();
  const RunId parent = submit(std::move(walk));
  Submission leg = shell("echo $$ > " + directory_.file("pid") + "; exec sleep 1000",
                         std::string(drover::testing::kTourLane));
  leg.spec.kind = drover::testing::kLeg;
  leg.spec.parent_run_id = parent.str();
  const RunId child = submit(std::move(leg));
  pid_t command = 0;
  until_true([&] { return static_cast<bool>(std::ifstream(directory_.file("pid")) >> command); });
  until(child, [](const run::Record& r) { return r.state == run::State::running; });
  breaking_.break_writes(true);
  EXPECT_EQ(cancel(parent), CancelOutcome::cancel_requested);
  until_true([&] { return ::kill(command, 0) != 0; });
  breaking_.break_writes(false);
  EXPECT_EQ(until_ended(child).state, run::State::canceled);
  EXPECT_TRUE(until(parent, [](const run::Record& r) { return r.cancel_requested; }).id == parent);
}

// R8: a deletion that could not be recorded did not happen: output and record are there. One that
// was recorded without an answer removes both.
TEST_F(RunDispatcherTest, ADeletionThatIsNotRecordedDidNotHappen) {
  const RunId id = submit(shell("echo words"));
  until_ended(id);
  breaking_.break_write(1, drover::testing::BreakWhen::before);
  EXPECT_EQ(world_->await(world_->dispatcher.remove(id)).error().code, ErrorCode::unavailable);
  EXPECT_TRUE(std::filesystem::exists(home_.run_directory(id) + "/output"));
  breaking_.break_write(1, drover::testing::BreakWhen::after);
  EXPECT_EQ(world_->await(world_->dispatcher.remove(id)).error().code, ErrorCode::unavailable);
  EXPECT_FALSE(store_.find(id).value());
  EXPECT_FALSE(std::filesystem::exists(home_.run_directory(id)));
}

// R9: the oldest finished runs are removed first; active ones never.
TEST_F(RunDispatcherTest, PrunesTheOldestAboveTheCount) {
  const RunId active = submit(shell("sleep 1000"));
  std::vector<RunId> ids;
  for (int i = 0; i < 5; ++i) ids.push_back(submit(shell("exit 0")));
  for (const RunId& id : ids) until_ended(id);
  const RetentionRule rule{.count_max = 2, .age_max_ms = 0};
  EXPECT_EQ(prune(rule, clock_), 3U);
  EXPECT_EQ(prune(rule, clock_), 0U);
  EXPECT_FALSE(store_.find(ids[2]).value());
  EXPECT_TRUE(store_.find(ids[3]).value());
  EXPECT_TRUE(store_.find(active).value());
  cancel(active, 0);
  until_ended(active);
}

// R9: runs that finished too long ago are removed, however few there are.
TEST_F(RunDispatcherTest, PrunesRunsAboveTheAge) {
  const RunId active = submit(shell("sleep 1000"));
  const RunId ended = submit(shell("exit 0"));
  until_ended(ended);
  const RetentionRule rule{.count_max = 0, .age_max_ms = 3'600'000};
  drover::testing::ManualClock clock(find(ended).finished_at + rule.age_max_ms);
  EXPECT_EQ(prune(rule, clock), 0U);
  clock.advance_ms(1);
  EXPECT_EQ(prune(rule, clock), 1U);
  EXPECT_FALSE(store_.find(ended).value());
  EXPECT_TRUE(store_.find(active).value());
  cancel(active, 0);
  until_ended(active);
}

// R9: each scope is counted by itself: a busy one does not affect the others.
TEST_F(RunDispatcherTest, PrunesEachScopeByItself) {
  const auto ended_in = [&](const std::string& scope) {
    Submission submission = shell("exit 0");
    submission.spec.scope = scope;
    const RunId id = submit(std::move(submission));
    until_ended(id);
    return id;
  };
  const RunId quiet = ended_in("quiet"), first = ended_in("busy"), second = ended_in("busy");
  const RetentionRule rule{.count_max = 1, .age_max_ms = 0};
  EXPECT_EQ(prune(rule, clock_), 1U);
  EXPECT_FALSE(store_.find(first).value());
  EXPECT_TRUE(store_.find(second).value());
  EXPECT_TRUE(store_.find(quiet).value());
}

// R9: retention keeps a run while somebody reads it or waits for it, and removes the others.
TEST_F(RunDispatcherTest, KeepsARunThatSomebodyReads) {
  const RunId read = submit(shell("exit 0")), other = submit(shell("exit 0"));
  until_ended(read);
  until_ended(other);
  const RetentionRule rule{.count_max = 0, .age_max_ms = 1};
  drover::testing::ManualClock later(clock_.wall_ms() + 1'000);
  std::optional<bus::Subscription> reader(std::in_place, world_->bell, world_->loop.get_executor(),
                                          bus::Filter{.run = read, .scope = {}}, 0);
  EXPECT_EQ(prune(rule, later), 1U);
  EXPECT_TRUE(store_.find(read).value());
  EXPECT_FALSE(store_.find(other).value());
  reader.reset();
  EXPECT_EQ(prune(rule, later), 1U);
  EXPECT_FALSE(store_.find(read).value());
}

// R9, R17: retention keeps a finished run while another one waits for it, also in the next daemon.
TEST_F(RunDispatcherTest, KeepsARunThatAnotherWaitsFor) {
  const RunId done = submit(shell("exit 0")), open = submit(shell("sleep 1000"));
  until_ended(done);
  Submission last = shell("exit 0");
  last.spec.after = {done, open};
  const RunId waiting = submit(std::move(last));
  const RetentionRule rule{.count_max = 0, .age_max_ms = 1};
  drover::testing::ManualClock later(clock_.wall_ms() + 1'000);
  EXPECT_EQ(prune(rule, later), 0U);
  reopen_world();
  EXPECT_EQ(prune(rule, later), 0U);
  EXPECT_TRUE(store_.find(done).value());
  cancel(open, 0);
  until_ended(waiting);
  later.advance_ms(3'600'000);
  EXPECT_EQ(prune(rule, later), 3U);
}

// R9: a run whose files cannot be moved stays whole, is logged once, and stops neither the removal
// of the others of its scope nor that of another scope.
TEST_F(RunDispatcherTest, PrunesTheOthersIfOneRunCannotBeRemoved) {
  const auto ended_in = [&](const std::string& scope) {
    Submission submission = shell("echo text");
    submission.spec.scope = scope;
    const RunId id = submit(std::move(submission));
    until_ended(id);
    return id;
  };
  const RunId stuck = ended_in("a"), next = ended_in("a"), last = ended_in("a");
  const RunId other = ended_in("b"), kept = ended_in("b");
  // A directory cannot replace this one, which is not empty.
  std::filesystem::create_directories(home_.trash() + "/" + stuck.str() + "/in the way");
  const std::string path = directory_.file("log");
  log::open(path, log::Level::info);
  store::ReadPool reads(world_->loop.get_executor(), store_);
  Retention retention({.count_max = 1, .age_max_ms = 0}, reads, world_->bell, world_->dispatcher);
  EXPECT_EQ(world_->await(retention.prune(clock_)).value(), 2U);
  EXPECT_EQ(world_->await(retention.prune(clock_)).value(), 0U);
  log::open("", log::Level::error);
  EXPECT_FALSE(store_.find(next).value());
  EXPECT_FALSE(store_.find(other).value());
  EXPECT_TRUE(store_.find(kept).value());
  EXPECT_TRUE(store_.find(last).value());
  EXPECT_TRUE(store_.find(stuck).value());
  EXPECT_TRUE(std::filesystem::exists(home_.run_file(stuck)));
  EXPECT_TRUE(std::filesystem::exists(home_.run_directory(stuck) + "/output"));
  const std::string logged = read_file(path, 100'000).value();
  const size_t first = logged.find("retention keeps it");
  ASSERT_NE(first, std::string::npos) << logged;
  EXPECT_EQ(logged.find("retention keeps it", first + 1), std::string::npos) << logged;
}

// R9: if all of the oldest runs are in use, retention looks at newer ones.
TEST_F(RunDispatcherTest, PrunesNewerRunsThanThoseInUse) {
  std::vector<std::unique_ptr<bus::Subscription>> readers;
  for (int i = 0; i < 205; ++i) {  // More than a page.
    const RunId id = submit(shell("exit 0"));
    until_ended(id);
    readers.push_back(std::make_unique<bus::Subscription>(world_->bell, world_->loop.get_executor(),
                                                          bus::Filter{.run = id, .scope = {}}, 0));
  }
  const RunId last = submit(shell("exit 0"));
  until_ended(last);
  drover::testing::ManualClock later(clock_.wall_ms() + 1'000);
  EXPECT_EQ(prune({.count_max = 0, .age_max_ms = 1}, later), 1U);
  EXPECT_FALSE(store_.find(last).value());
}

// H6: a run that was accepted and could not be launched is one line of the daemon's log, with its
// ids.
TEST_F(RunDispatcherTest, LogsAFailedLaunchOnce) {
  const std::string path = directory_.file("log");
  log::open(path, log::Level::info);
  Submission submission = shell("exit 0");
  submission.spec.argv = {"/nowhere/at/all"};
  const RunId id = submit(std::move(submission));
  EXPECT_EQ(until_ended(id).reason, run::Reason::launch_failed);
  // R2: a second end is refused, and that is one line too.
  const auto again =
      world_->await(world_->spine.record(run::Ended{.id = id, .ending = run::Exited{0}}));
  EXPECT_EQ(again.error().reason, "already_terminal");
  log::open("", log::Level::error);
  const std::string text = read_file(path, 1 << 20).value();
  std::vector<std::string> lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) {
    if (line.find(id.view()) != std::string::npos) lines.push_back(line);
  }
  ASSERT_EQ(lines.size(), 2U) << text;
  const std::string trace = R"("trace_id":")" + find(id).trace_id;
  EXPECT_NE(lines[0].find("launch_failed: "), std::string::npos) << lines[0];
  EXPECT_NE(lines[0].find(trace), std::string::npos) << lines[0];
  EXPECT_NE(lines[1].find("refused: "), std::string::npos) << lines[1];
  EXPECT_NE(lines[1].find(trace), std::string::npos) << lines[1];
}

// R18: `stop --kill` stops everything by the same path and returns when nothing is left.
TEST_F(RunDispatcherTest, StopsEveryRun) {
  const RunId running = submit(shell("sleep 1000", "one"));
  const RunId waiting = submit(shell("sleep 1000", "one"));
  world_->await([](RunDispatcher& d) -> asio::awaitable<bool> {
    co_await d.end_all();
    co_return true;
  }(world_->dispatcher));
  EXPECT_EQ(find(running).state, State::canceled);
  EXPECT_EQ(find(waiting).state, State::canceled);
}

// A Work before a submission is one commit with it; if it refuses, nothing is submitted, and the
// file is removed.
TEST_F(RunDispatcherTest, SubmitsWithAWork) {
  Submission submission = shell("exit 0");
  submission.first = drover::testing::visit("1", "alps");
  const auto written = world_->await(world_->dispatcher.submit(submission));
  ASSERT_TRUE(written) << written.error().message;
  EXPECT_EQ(until_ended(written->record.id).state, run::State::completed);
  EXPECT_EQ(store_.query("SELECT id FROM visits", {}).value().size(), 1u);
  const auto refused = world_->await(world_->dispatcher.submit(submission));
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().reason, "already_recorded");
  EXPECT_EQ(store_.list({}).value().size(), 1u);
}

// A run of a kind that is no longer known is not touched, neither by a new daemon nor by a cancel,
// and delays nothing.
TEST_F(RunDispatcherTest, DoesNotTouchUnknownKinds) {
  const RunId id = submit(shell("exec sleep 1000", "one"));
  until(id, [](const run::Record& r) { return r.state == run::State::running; });
  const RunId next = submit(shell("exit 0", "two"));
  until_ended(next);
  close_world();
  store_.damage("UPDATE runs SET kind = 'dream' WHERE id = '" + id.str() + "'");
  reopen_world();
  EXPECT_EQ(find(id).state, run::State::running);
  const auto canceled = world_->await(world_->dispatcher.cancel(id, std::nullopt));
  EXPECT_FALSE(canceled);
  EXPECT_EQ(find(id).state, run::State::running);
  EXPECT_EQ(until_ended(submit(shell("exit 0", "two"))).state, run::State::completed);
  close_world();
  store_.damage("UPDATE runs SET kind = 'command' WHERE id = '" + id.str() + "'");
  reopen_world();  // A daemon that knows the kind again continues it.
  ASSERT_TRUE(world_->await(world_->dispatcher.cancel(id, 0)));
  EXPECT_EQ(until_ended(id).state, run::State::canceled);
}

}  // namespace
}  // namespace drover::dispatch
