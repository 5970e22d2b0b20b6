// Scripts with a real dispatcher and real commands: how they begin, and how another daemon
// continues them.
#include "conduct/conductor_fixture.h"
#include "log/log.h"

namespace drover::conduct {
namespace {

using testing::kTour;

// A script begins when its composite is recorded, by any caller; it runs to the end once.
TEST_F(ConductorTest, RunsACompositeToItsFinish) {
  open_conductor();
  const RunId tour = begin(kTour, "north");
  EXPECT_EQ(until_ended(tour).state, run::State::completed);
  EXPECT_EQ(read("walked"), "x\nx\n");
  ASSERT_EQ(legs().size(), 2u);
  EXPECT_EQ(legs()[0].name, "first");
  EXPECT_EQ(legs()[0].scope, "north");
  EXPECT_EQ(legs()[0].parent_run_id, tour.view());
  EXPECT_EQ(legs()[0].trace_id, find(tour).trace_id);
}

// Composites that were recorded while no Conductor ran, one of each kind, continue with the next
// daemon.
TEST_F(ConductorTest, ResumesAllKinds) {
  const RunId north = begin(kTour, "north");
  const RunId south = begin(kTour, "south");
  const RunId errand = begin(kErrand, "north");
  restart();
  for (const RunId& id : {north, south, errand}) {
    EXPECT_EQ(until_ended(id).state, run::State::completed);
  }
  EXPECT_EQ(read("walked"), "x\nx\nx\nx\n");
  EXPECT_EQ(read("bought"), "x\n");
  restart();
  EXPECT_EQ(legs().size(), 4u);
}

// A composite whose commit had an unknown fate but landed is begun all the same.
TEST_F(ConductorTest, BeginsACompositeOfUnknownFate) {
  open_conductor();
  breaking_.break_write(1, testing::BreakWhen::after);
  dispatch::Submission wish;
  wish.spec.kind = kTour;
  wish.spec.argv = {"tour"};
  wish.spec.cwd = directory_.file("");
  wish.spec.lane.clear();
  wish.environment = {"PATH=/usr/bin:/bin"};
  (void)world_->await(world_->dispatcher.submit(std::move(wish)));
  EXPECT_TRUE(breaking_.broke());
  until_true([&] { return read("walked") == "x\nx\n"; });
}

// A composite that is recorded while the store cannot be read is begun once it can.
TEST_F(ConductorTest, WaitsForAStoreThatCanBeRead) {
  open_conductor();
  breaking_.break_reads(true);
  const RunId tour = begin(kTour, "north");
  world_->loop.restart();
  world_->loop.run_for(std::chrono::milliseconds(50));
  EXPECT_TRUE(legs().empty());
  breaking_.break_reads(false);
  EXPECT_EQ(until_ended(tour).state, run::State::completed);
  EXPECT_EQ(legs().size(), 2u);
}

// A daemon dies between submitting a child and recording it in the phase: the next one finds that
// child, even if its spec would be different now.
TEST_F(ConductorTest, FindsAnUnrecordedChild) {
  walk_ = [](Composite& tour, run::Record) -> asio::awaitable<void> {
    (void)co_await tour.ask("first", shell_spec(testing::kLeg, "read x < go; echo x >> walked"));
  };
  open_conductor();
  const RunId tour = begin(kTour, "north");
  const RunId leg = until_leg(1);
  close_conductor();
  std::vector<run::Record> found;
  walk_ = [&](Composite& again, run::Record record) -> asio::awaitable<void> {
    found = co_await again.children();
    co_await two_legs(again, std::move(record));
  };
  open_conductor();
  release_command();
  EXPECT_EQ(until_ended(tour).state, run::State::completed);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].id, leg);
  EXPECT_EQ(read("walked"), "x\nx\n");
  EXPECT_EQ(legs().size(), 2u);
}

// Other runs of the scope, and other runs that name the composite as their parent, are not its
// children, however many there are.
TEST_F(ConductorTest, KnowsItsOwnChildren) {
  begin(kErrand, "north");
  command_ = "read x < go";
  std::vector<run::Record> found;
  walk_ = [&](Composite& tour, run::Record record) -> asio::awaitable<void> {
    if ((co_await tour.children()).empty()) co_return co_await two_legs(tour, record);
    found = co_await tour.children();
    co_await two_legs(tour, record);
  };
  open_conductor();
  const RunId tour = begin(kTour, "north");
  const RunId leg = until_leg(1);
  ASSERT_TRUE(world_->await(
      world_->dispatcher.lanes().set({.name = "closed", .limit = 1, .paused = true})));
  for (int i = 0; i < 120; ++i) {
    auto other = shell("true", "closed");
    other.spec.scope = "north";
    other.spec.parent_run_id = tour.str();
    submit(std::move(other));
  }
  restart();
  until_true([&] { return !found.empty(); });
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].id, leg);
  release_command();
  until_leg(2);
  release_command();
  until_ended(tour);
}

// If the store fails at any write, before or after it is made, each child exists once.
TEST_F(ConductorTest, SurvivesABreakAtEveryWrite) {
  open_conductor();
  for (const auto when : {testing::BreakWhen::before, testing::BreakWhen::after}) {
    for (int n = when == testing::BreakWhen::before ? 1 : 2;; n += 2) {
      breaking_.break_write(0, when);  // A break that did not happen must not meet this write.
      const RunId tour = begin(kTour, "north");
      breaking_.break_write(n, when);
      EXPECT_EQ(until_ended(tour).state, run::State::completed);
      const auto all = legs();
      const auto own = std::ranges::count(all, tour.str(), &run::Record::parent_run_id);
      EXPECT_EQ(own, 2) << n;
      if (!breaking_.broke()) break;
    }
  }
}

// R9: retention keeps the finished legs of an active tour, however old they are; it removes them
// once the tour has finished.
TEST_F(ConductorTest, KeepsTheLegsOfAnActiveTour) {
  walk_ = [](Composite& tour, run::Record) -> asio::awaitable<void> {
    for (const char* script : {"exit 0", "read word < go"}) {
      const auto leg = co_await tour.ask(script, shell_spec(testing::kLeg, script));
      if (leg) co_await tour.until(**leg, run::State::completed);
    }
    co_await tour.phase(moved_to(testing::kHome));
  };
  open_conductor();
  const RunId tour = begin(testing::kTour, "alps");
  until_running(until_leg(2));
  const RunId first = legs().front().id;
  const dispatch::RetentionRule rule{.count_max = 0, .age_max_ms = 1};
  testing::ManualClock later(clock_.wall_ms() + 3'600'000);
  EXPECT_EQ(prune(rule, later), 0U);
  EXPECT_TRUE(store_.find(first).value());
  release_command();
  until_ended(tour);
  EXPECT_EQ(prune(rule, later), 3U);
  EXPECT_FALSE(store_.find(first).value());
}

// P5, H6: a composite that fails its preflight is one line of the daemon's log, with its ids.
TEST_F(ConductorTest, LogsAFailedPreflightOnce) {
  const std::string path = at("log");
  log::open(path, log::Level::info);
  walk_ = [](Composite& tour, run::Record) -> asio::awaitable<void> {
    run::PhaseChanged home = moved_to(testing::kHome);
    home.rest = {.happening = run::Happening::failed,
                 .reason = run::Reason::launch_failed,
                 .origin = run::Origin::launch,
                 .message = "no boots"};
    co_await tour.phase(std::move(home));
  };
  open_conductor();
  const RunId tour = begin(testing::kTour, "alps");
  const run::Record record = until_ended(tour);
  submit(shell("exit 0"));  // Commits are shown in order, so the tour's end was shown before this.
  log::open("", log::Level::error);
  const std::string text = read_file(path, 1 << 20).value();
  const std::string line = R"("run_id":")" + tour.str() + R"(","trace_id":")" + record.trace_id +
                           R"(","message":"launch_failed: no boots")";
  const size_t at = text.find(line);
  ASSERT_NE(at, std::string::npos) << text;
  EXPECT_EQ(text.find(tour.str(), at + line.size()), std::string::npos) << text;
}

}  // namespace
}  // namespace drover::conduct
