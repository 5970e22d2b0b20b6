// The fixture for tests of the dispatcher: a home in a directory of its own, a real cradle with
// real commands, and a store behind one that can be broken. A test may close its World and open
// another over the same home and database, as a new daemon does after a crash.
#pragma once

#include <gtest/gtest.h>
#include <sched.h>
#include <signal.h>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <filesystem>
#include <latch>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "dispatch/files/retention.h"
#include "dispatch/run_dispatcher.h"
#include "testing/breaking_store.h"
#include "testing/clock.h"
#include "testing/directory.h"
#include "testing/kinds.h"
#include "testing/store.h"
#include "testing/until.h"

namespace drover::dispatch {

// The parts of one daemon; a test may create a second one over the same home and store.
struct World {
  World(const Home& home, const Clock& clock, store::Store& store,
        const run::Kinds& kinds = drover::testing::tour_kinds(),
        const process::CgroupPlace& cgroups = {})
      : reads(loop.get_executor(), store),
        bell(store, store.last_seq().value()),
        spine(loop.get_executor(), store, bell),
        dispatcher(
            loop.get_executor(), home,
            {.keeper_program = DROVER_BIN "/drover-keeper", .cgroups = cgroups, .kinds = &kinds},
            clock, reads, spine) {}

  // Runs the loop until the coroutine has returned, and returns its result.
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
  store::ReadPool reads;
  bus::Bell bell;
  spine::Spine spine;
  RunDispatcher dispatcher;
};

class RunDispatcherTest : public ::testing::Test {
 protected:
  // With the kinds and tables of a room: by default the test room (testing/kinds.h).
  explicit RunDispatcherTest(store::sqlite::Options options = drover::testing::with_tours())
      : options_(std::move(options)) {}

  void SetUp() override {
    // As in the daemon: writing to a dead cradle's pipe must not kill us.
    ::signal(SIGPIPE, SIG_IGN);
    ASSERT_TRUE(home_.create());
    world_.emplace(home_, clock_, breaking_, *options_.kinds);
    ASSERT_TRUE(world_->await(world_->dispatcher.recover(breaking_)));
  }

  void TearDown() override { close_world(); }

  // Another daemon over the same home and database.
  void reopen_world() {
    close_world();
    store_.reopen();
    world_.emplace(home_, clock_, breaking_, *options_.kinds);
    ASSERT_TRUE(world_->await(world_->dispatcher.recover(breaking_)));
  }

  // A spine must outlive every write it was given: wait until the store has answered the last one.
  void close_world() {
    std::latch recorded(1);
    store_.write(store::LaneSet{"last", 1},
                 [&](const Result<store::Written>&) { recorded.count_down(); });
    recorded.wait();
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
  // Runs the loop until the record satisfies the condition.
  run::Record until(const RunId& id, auto condition) {
    run::Record record;
    until_true([&] {
      record = find(id);
      return condition(record);
    });
    return record;
  }
  run::Record until_ended(const RunId& id) {
    return until(id, [](const run::Record& r) { return run::is_finished(r.state); });
  }
  std::vector<std::string> history(const RunId& id) {
    std::vector<std::string> types;
    for (const run::Event& e : store_.events({.run = id}).value()) types.push_back(e.type);
    return types;
  }
  // Runs the loop until `condition` holds.
  void until_true(auto condition) {
    if (!testing::run_until(world_->loop, condition)) {
      throw std::runtime_error("the condition did not become true");
    }
  }
  size_t run_files() {
    size_t n = 0;
    for (const auto& entry : std::filesystem::directory_iterator(home_.runs())) {
      n += entry.path().extension() == ".run" ? 1 : 0;
    }
    return n;
  }
  pid_t cradle_of(const RunId& id) {
    const auto keeper = read_journal_state(home_.run_file(id))->text.identity->keeper.pid;
    return process::look_at(keeper)->parent;
  }
  // One round of retention; returns how many runs it removed.
  size_t prune(const RetentionRule& rule, const Clock& clock) {
    Retention retention(rule, world_->reads, world_->bell, world_->dispatcher);
    return world_->await(retention.prune(clock)).value();
  }
  CancelOutcome cancel(const RunId& id, std::optional<std::int64_t> grace_ms = {}) {
    return world_->await(world_->dispatcher.cancel(id, grace_ms)).value();
  }

  drover::testing::TestDirectory directory_;
  Home home_{directory_.file("config"), directory_.file("state"), directory_.file("run")};
  SystemClock clock_;
  const store::sqlite::Options options_;
  drover::testing::TestStore store_{clock_, options_};
  drover::testing::BreakingStore breaking_{store_};
  std::optional<World> world_;
};

inline const std::vector<std::string> kWholeLife{"run.queued", "run.starting", "run.started",
                                                 "run.completed"};

}  // namespace drover::dispatch
