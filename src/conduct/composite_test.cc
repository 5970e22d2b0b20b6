// The functions that a script has for its composite, with a real dispatcher and real commands.
#include "conduct/composite.h"

#include "conduct/conductor_fixture.h"

namespace drover::conduct {
namespace {

using testing::kTour;

run::PhaseChanged canceled_home() {
  return {.id = {},
          .change = std::string(testing::kHome),
          .rest = {.happening = run::Happening::canceled,
                   .reason = run::Reason::canceled_by_owner,
                   .origin = run::Origin::owner}};
}

// Asking twice under one key gives one child.
TEST_F(ConductorTest, AsksTwiceForOneChild) {
  std::vector<RunId> asked;
  walk_ = [&](Composite& tour, run::Record) -> asio::awaitable<void> {
    for (const char* key : {"first", "first", "second"}) {
      const auto leg = co_await tour.ask(key, shell_spec(testing::kLeg, command_));
      if (leg && *leg) asked.push_back(**leg);
    }
    for (const RunId& leg : asked) co_await tour.until(leg, run::State::completed);
    co_await tour.phase(moved_to(testing::kHome));
  };
  open_conductor();
  until_ended(begin(kTour, "north"));
  ASSERT_EQ(asked.size(), 3u);
  EXPECT_EQ(asked[0], asked[1]);
  EXPECT_NE(asked[0], asked[2]);
  EXPECT_EQ(legs().size(), 2u);
}

// If there is nothing to run there is no child; a child that cannot be run is an error, and asked
// for once.
TEST_F(ConductorTest, HandlesNoChildAndARefusedChild) {
  int made = 0;
  std::string reason;
  walk_ = [&](Composite& tour, run::Record) -> asio::awaitable<void> {
    const auto none = co_await tour.ask("first", [](const process::Command&) {
      return Result<std::optional<run::Spec>>(std::nullopt);
    });
    EXPECT_TRUE(none && !*none);
    const auto bad = co_await tour.ask(
        "second", [&](const process::Command&) -> Result<std::optional<run::Spec>> {
          ++made;
          return fail(ErrorCode::conflict, "washed_out", "there is no way");
        });
    if (!bad) reason = bad.error().reason;
    co_await tour.phase(moved_to(testing::kHome));
  };
  open_conductor();
  until_ended(begin(kTour, "north"));
  EXPECT_EQ(made, 1);
  EXPECT_EQ(reason, "washed_out");
  EXPECT_TRUE(legs().empty());
}

// R15: children get the environment of the composite's file, overridden by their own, and its
// secrets are redacted.
TEST_F(ConductorTest, PassesItsEnvironmentToChildren) {
  std::string told;
  walk_ = [&](Composite& tour, run::Record) -> asio::awaitable<void> {
    const auto leg = co_await tour.ask("first", [](const process::Command& own) {
      auto spec = shell_spec(testing::kLeg, "echo $API_TOKEN $OTHER_TOKEN $PATH > seen")(own);
      (*spec)->env = {{"OTHER_TOKEN", "swordfish-and-more"}, {"PATH", "/bin"}};
      return spec;
    });
    if (leg) co_await tour.until(**leg, run::State::completed);
    told = tour.redacted("hunter2-very-secret and swordfish-and-more");
    co_await tour.phase(moved_to(testing::kHome));
  };
  open_conductor();
  until_ended(begin(kTour, "north"));
  EXPECT_EQ(read("seen"), "hunter2-very-secret swordfish-and-more /bin:" + home_.state + "\n");
  EXPECT_FALSE(told.contains("hunter2")) << told;
  EXPECT_FALSE(told.contains("swordfish")) << told;
}

// A composite is stopped: the child that ends with it is canceled, no other follows, and the next
// daemon carries out the stop as well.
TEST_F(ConductorTest, AStopCancelsItsChild) {
  command_ = "sleep 1000";
  std::string refusal;
  walk_ = [&](Composite& tour, run::Record) -> asio::awaitable<void> {
    const auto leg = co_await tour.ask("first", shell_spec(testing::kLeg, command_));
    if (leg) co_await tour.until(**leg, run::State::completed);
    EXPECT_TRUE(co_await tour.stopped());
    const auto next = co_await tour.ask("second", shell_spec(testing::kLeg, command_));
    if (!next) refusal = next.error().reason;
    co_await tour.phase(canceled_home());
  };
  for (const bool by_next_daemon : {false, true}) {
    refusal.clear();
    open_conductor();
    const RunId tour = begin(kTour, "north");
    const RunId leg = until_leg(by_next_daemon ? 2 : 1);
    until_running(leg);
    if (by_next_daemon) close_conductor();
    ASSERT_TRUE(
        world_->await(world_->spine.record(run::CancelRequested{.id = tour, .of_any_kind = true})));
    if (by_next_daemon) open_conductor();
    EXPECT_EQ(until_ended(tour).state, run::State::canceled);
    EXPECT_EQ(find(leg).state, run::State::canceled);
    EXPECT_EQ(refusal, "stopped");
    close_conductor();
  }
}

// A deleted child has finished as its evidence says.
TEST_F(ConductorTest, WaitsForADeletedChild) {
  run::Record seen;
  walk_ = [&](Composite& tour, run::Record record) -> asio::awaitable<void> {
    const auto known = RunId::parse(testing::tour_leg(record));
    if (!known) {
      const auto leg = co_await tour.ask("first", shell_spec(testing::kLeg, "exit 3"));
      if (leg) co_await tour.phase(moved_to((**leg).view()));
      co_return;
    }
    seen = co_await tour.until(*known, run::State::completed);
    co_await tour.phase(moved_to(testing::kHome));
  };
  open_conductor();
  const RunId tour = begin(kTour, "north");
  const RunId leg = until_leg(1);
  until_ended(leg);
  until(tour, [](const run::Record& r) { return r.phase.contains("run_"); });
  ASSERT_TRUE(world_->await(world_->dispatcher.remove(leg)));
  restart();
  until_ended(tour);
  EXPECT_EQ(seen.state, run::State::failed);
  EXPECT_EQ(seen.exit_code, 3);
}

// A composite that gives up finishes after its children: a running one is stopped or waited for, a
// waiting one never starts.
TEST_F(ConductorTest, GivingUpWaitsForTheChildren) {
  ASSERT_TRUE(world_->await(
      world_->dispatcher.lanes().set({.name = std::string(testing::kTourLane), .limit = 1})));
  walk_ = [](Composite& tour, run::Record record) -> asio::awaitable<void> {
    if (record.phase == testing::tour_at("packing")) {
      (void)co_await tour.ask("first", shell_spec(testing::kLeg, "sleep 1000"));
      (void)co_await tour.ask("second", shell_spec(testing::kLeg, "echo x >> walked"));
      co_return co_await tour.phase(moved_to("lost"));
    }
    co_await tour.give_up(canceled_home());
  };
  open_conductor();
  const RunId tour = begin(kTour, "north");
  const RunId first = until_leg(1);
  const RunId second = until_leg(2);
  until_running(first);
  until(tour, [](const run::Record& r) { return r.phase == testing::tour_at("lost"); });
  restart();
  EXPECT_EQ(until_ended(tour).state, run::State::canceled);
  EXPECT_EQ(find(first).state, run::State::canceled);
  EXPECT_EQ(find(second).state, run::State::canceled);
  EXPECT_LE(find(second).finished_at, find(tour).finished_at);
  EXPECT_EQ(read("walked"), "");
}

// A composite that gives up cancels its queued children before it waits for the running one, which
// does not end with it: the slot that becomes free starts none of them.
TEST_F(ConductorTest, GivingUpStartsNoQueuedChild) {
  ASSERT_TRUE(world_->await(world_->dispatcher.lanes().set({.name = "default", .limit = 1})));
  buy_ = [](Composite& errand, run::Record record) -> asio::awaitable<void> {
    if (record.phase == testing::tour_at("packing")) {
      (void)co_await errand.ask("first", shell_spec(run::kCommand, "read go < go"));
      (void)co_await errand.ask("second", shell_spec(run::kCommand, "echo x >> bought"));
      co_return co_await errand.phase(moved_to("lost"));
    }
    co_await errand.give_up(canceled_home());
  };
  open_conductor();
  const RunId errand = begin(kErrand, "north");
  until(errand, [](const run::Record& r) { return r.phase == testing::tour_at("lost"); });
  const auto children =
      store_.list({.kind = std::string(run::kCommand), .oldest_first = true}).value();
  ASSERT_EQ(children.size(), 2U);
  until_running(children[0].id);
  restart();
  EXPECT_EQ(until_ended(children[1].id).state, run::State::canceled);
  release_command();
  EXPECT_EQ(until_ended(errand).state, run::State::canceled);
  EXPECT_EQ(find(children[0].id).state, run::State::completed);
  EXPECT_EQ(read("bought"), "");
}

}  // namespace
}  // namespace drover::conduct
