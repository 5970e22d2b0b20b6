// The dispatcher with a real cradle and real commands, over a store that can be broken.
#include "dispatch/run_dispatcher.h"

#include <gtest/gtest.h>
#include <signal.h>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/io_context.hpp>
#include <filesystem>
#include <latch>

#include "dispatch/retention.h"
#include "testing/breaking_store.h"
#include "testing/clock.h"
#include "testing/folder.h"
#include "testing/store.h"

namespace drover::dispatch {
namespace {

using run::State;

// One daemon's worth of parts; a test may make a second one over the same home and store.
struct World {
  World(const Home& home, const Clock& clock, store::Store& store)
      : bell(store, store.last_seq().value()),
        spine(loop.get_executor(), store, bell),
        dispatcher(loop.get_executor(), home, {.keeper_program = DROVER_BIN "/drover-keeper"},
                   clock, store, spine) {}

  // Runs the loop until the coroutine is done, and returns what it returned.
  template <class T>
  T await(asio::awaitable<T> work) {
    std::optional<T> result;
    asio::co_spawn(loop, std::move(work), [&](std::exception_ptr bug, T value) {
      if (bug) std::rethrow_exception(bug);
      result.emplace(std::move(value));
    });
    loop.restart();
    while (!result) loop.run_one();
    return std::move(*result);
  }

  asio::io_context loop{1};
  bus::Bell bell;
  spine::Spine spine;
  RunDispatcher dispatcher;
};

class RunDispatcherTest : public ::testing::Test {
 protected:
  void SetUp() override {
    ::signal(SIGPIPE, SIG_IGN);  // As in the daemon: a dead cradle's pipe is an error, not the end.
    ASSERT_TRUE(home_.create());
    world_.emplace(home_, clock_, breaking_);
    ASSERT_TRUE(world_->await(world_->dispatcher.recover()));
  }

  void TearDown() override { close_world(); }

  // A spine must outlive every write it was given: wait until the store has told the last one.
  void close_world() {
    std::latch told(1);
    store_.write(store::LaneSet{"last", 1},
                 [&](const Result<store::Written>&) { told.count_down(); });
    told.wait();
    world_.reset();
  }

  Submission shell(const std::string& script, const std::string& lane = "default") {
    Submission s;
    s.spec.argv = {"/bin/sh", "-c", script};
    s.spec.cwd = "/";
    s.spec.lane = lane;
    s.environment = {"PATH=/usr/bin:/bin"};
    return s;
  }
  RunId submit(Submission submission) {
    auto written = world_->await(world_->dispatcher.submit(std::move(submission)));
    EXPECT_TRUE(written) << written.error().message;
    return written ? written->record.id : RunId();
  }
  run::Record find(const RunId& id) {
    auto record = store_.find(id);
    EXPECT_TRUE(record && *record);
    return record && *record ? **record : run::Record{};
  }
  // Runs the loop until the record is in that state.
  run::Record until(const RunId& id, auto condition) {
    while (true) {
      run::Record record = find(id);
      if (condition(record)) return record;
      world_->loop.restart();
      world_->loop.run_one();
    }
  }
  run::Record until_ended(const RunId& id) {
    return until(id, [](const run::Record& r) { return run::is_terminal(r.state); });
  }
  std::vector<std::string> history(const RunId& id) {
    std::vector<std::string> types;
    for (const run::Event& e : store_.events({.run = id}).value()) types.push_back(e.type);
    return types;
  }
  CancelOutcome cancel(const RunId& id, std::optional<std::int64_t> grace_ms = {}) {
    return world_->await(world_->dispatcher.cancel(id, grace_ms)).value();
  }

  drover::testing::TestFolder folder_;
  Home home_{folder_.file("config"), folder_.file("state"), folder_.file("run")};
  SystemClock clock_;
  drover::testing::MemoryStore store_{clock_};
  drover::testing::BreakingStore breaking_{store_};
  std::optional<World> world_;
};

const std::vector<std::string> kWholeLife{"run.queued", "run.starting", "run.started",
                                          "run.completed"};

TEST_F(RunDispatcherTest, SeesARunThrough) {
  const RunId id = submit(shell("exit 0"));
  const run::Record record = until_ended(id);
  EXPECT_EQ(record.state, State::completed);
  EXPECT_EQ(record.reason, run::Reason::exit_zero);
  EXPECT_EQ(history(id), kWholeLife);
}

// Whatever the store does to us, a run ends once and its history stays whole.
TEST_F(RunDispatcherTest, SurvivesABreakAtEveryCall) {
  using drover::testing::BreakWhen;
  for (const BreakWhen when : {BreakWhen::before, BreakWhen::after}) {
    for (int n = 1;; ++n) {
      SCOPED_TRACE(n);
      breaking_.break_write(n, when);
      auto written = world_->await(world_->dispatcher.submit(shell("exit 0")));
      if (!written) {  // Refused: then there is no such run, and no folder of it.
        EXPECT_EQ(written.error().code, ErrorCode::unavailable);
        EXPECT_TRUE(std::filesystem::is_empty(home_.runs()) ||
                    store_.list({.active_only = true})->empty());
        continue;
      }
      const RunId id = written->record.id;
      EXPECT_EQ(until_ended(id).state, State::completed);
      EXPECT_EQ(history(id), kWholeLife);
      // The slot becomes free again: nothing but the records says so.
      while (world_->dispatcher.active() != 0) {
        world_->loop.restart();
        world_->loop.run_one();
      }
      if (!breaking_.broke()) break;
    }
  }
}

// R6: a cancel works in every window, and what had not spawned never spawns.
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
  EXPECT_FALSE(std::filesystem::exists(home_.run_folder(second) + "/journal"));
}

TEST_F(RunDispatcherTest, CancelsARunThatIsStarting) {
  for (int i = 0; i < 50; ++i) {
    const RunId id = submit(shell("exit 0"));
    cancel(id);
    const run::Record record = until_ended(id);
    EXPECT_TRUE(record.state == State::canceled || record.state == State::completed);
    EXPECT_EQ(record.events, static_cast<std::int64_t>(history(id).size()));
  }
}

// R4, R7: a cancel that is on record before the exit decides; the receipt says what was done.
TEST_F(RunDispatcherTest, CancelsARunningRun) {
  const RunId id = submit(shell("sleep 1000"));
  until(id, [](const run::Record& r) { return r.state == State::running; });
  EXPECT_EQ(cancel(id), CancelOutcome::cancel_requested);
  EXPECT_EQ(cancel(id), CancelOutcome::cancel_requested);
  const run::Record record = until_ended(id);
  EXPECT_EQ(record.state, State::canceled);
  EXPECT_EQ(record.reason, run::Reason::canceled_by_owner);
  EXPECT_NE(record.receipt.find("\"term_at\":\"2"), std::string::npos);
}

// R16: lanes hold their limit, in order, and a larger limit takes effect at once.
TEST_F(RunDispatcherTest, LanesHoldTheirLimit) {
  const RunId a = submit(shell("sleep 1000", "narrow"));
  const RunId b = submit(shell("sleep 1000", "narrow"));
  const RunId c = submit(shell("exit 0", "narrow"));
  until(a, [](const run::Record& r) { return r.state == State::running; });
  EXPECT_EQ(find(b).state, State::queued);
  ASSERT_TRUE(world_->await(world_->dispatcher.set_lane("narrow", 2)));
  until(b, [](const run::Record& r) { return r.state == State::running; });
  EXPECT_EQ(find(c).state, State::queued);
  cancel(a, 0);
  EXPECT_EQ(until_ended(c).state, State::completed);
  cancel(b, 0);
  until_ended(b);
}

// The cradle is killed: its keepers go on, their ends are known, and new runs start.
TEST_F(RunDispatcherTest, SurvivesTheLossOfItsCradle) {
  const std::string go = folder_.file("go");
  const RunId id = submit(shell("while ! [ -e " + go + " ]; do sleep 0.01; done; exit 6"));
  until(id, [](const run::Record& r) { return r.state == State::running; });
  const auto keeper = probe_journal(home_.run_folder(id))->text.identity->keeper.pid;
  const auto cradle = process::look_at(keeper)->parent;
  ASSERT_EQ(::kill(cradle, SIGKILL), 0);
  until(submit(shell("exit 0")), [](const run::Record& r) { return run::is_terminal(r.state); });
  ASSERT_TRUE(replace_file(go, ""));
  EXPECT_EQ(until_ended(id).exit_code, 6);
}

// H10: another daemon over the same home adopts what lives, concludes what ended, starts what
// waits; a third finds nothing to do.
TEST_F(RunDispatcherTest, RecoversInEveryState) {
  const std::string go = folder_.file("go");
  const RunId living = submit(shell("while ! [ -e " + go + " ]; do sleep 0.01; done; exit 4", "l"));
  const RunId waiting = submit(shell("exit 0", "l"));
  Submission unwanted = shell("exit 0", "l");
  unwanted.spec.on_restart = run::OnRestart::fail;
  const RunId failing = submit(std::move(unwanted));
  const RunId ending = submit(shell("exit 5"));
  until(living, [](const run::Record& r) { return r.state == State::running; });
  // Its keeper ends while no loop runs: nobody hears the report.
  while (probe_journal(home_.run_folder(ending))->liveness != Liveness::dead) ::sched_yield();
  close_world();

  world_.emplace(home_, clock_, breaking_);
  ASSERT_TRUE(world_->await(world_->dispatcher.recover()));
  EXPECT_EQ(until_ended(ending).exit_code, 5);
  EXPECT_EQ(find(failing).state, State::failed);
  EXPECT_EQ(find(failing).reason, run::Reason::host_restarted);
  EXPECT_EQ(find(living).state, State::running);
  EXPECT_EQ(find(waiting).state, State::queued);
  const std::int64_t seq = store_.last_seq().value();
  close_world();

  world_.emplace(home_, clock_, breaking_);
  ASSERT_TRUE(world_->await(world_->dispatcher.recover()));
  EXPECT_EQ(store_.last_seq().value(), seq);
  ASSERT_TRUE(replace_file(go, ""));
  EXPECT_EQ(until_ended(living).exit_code, 4);
  EXPECT_EQ(until_ended(waiting).state, State::completed);
  EXPECT_EQ(history(waiting), kWholeLife);
}

// R8: a deletion takes record and folder, and leaves the evidence; an active run is not touched.
TEST_F(RunDispatcherTest, RemovesAnEndedRun) {
  const RunId id = submit(shell("sleep 1000"));
  EXPECT_EQ(world_->await(world_->dispatcher.remove(id)).error().reason, "active_process_conflict");
  EXPECT_TRUE(std::filesystem::exists(home_.run_folder(id)));
  cancel(id, 0);
  until_ended(id);
  ASSERT_TRUE(world_->await(world_->dispatcher.remove(id)));
  EXPECT_FALSE(std::filesystem::exists(home_.run_folder(id)));
  EXPECT_FALSE(store_.find(id).value());
  EXPECT_TRUE(store_.terminal_event(id).value());
  EXPECT_EQ(history(id).back(), "run.deleted");
}

// R9: the oldest ended runs go first; active ones never.
TEST_F(RunDispatcherTest, PrunesWhatIsTooMany) {
  const RunId active = submit(shell("sleep 1000"));
  std::vector<RunId> ids;
  for (int i = 0; i < 5; ++i) ids.push_back(submit(shell("exit 0")));
  for (const RunId& id : ids) until_ended(id);
  const RetentionRule rule{.count_max = 2, .age_max_ms = 0};
  EXPECT_EQ(world_->await(prune(rule, clock_, store_, world_->dispatcher)).value(), 3U);
  EXPECT_EQ(world_->await(prune(rule, clock_, store_, world_->dispatcher)).value(), 0U);
  EXPECT_FALSE(store_.find(ids[2]).value());
  EXPECT_TRUE(store_.find(ids[3]).value());
  EXPECT_TRUE(store_.find(active).value());
  cancel(active, 0);
  until_ended(active);
}

// R18: `stop --kill` ends everything by the same path and returns when nothing is left.
TEST_F(RunDispatcherTest, EndsAll) {
  const RunId running = submit(shell("sleep 1000", "one"));
  const RunId waiting = submit(shell("sleep 1000", "one"));
  world_->await([](RunDispatcher& d) -> asio::awaitable<bool> {
    co_await d.end_all();
    co_return true;
  }(world_->dispatcher));
  EXPECT_EQ(find(running).state, State::canceled);
  EXPECT_EQ(find(waiting).state, State::canceled);
}

}  // namespace
}  // namespace drover::dispatch
