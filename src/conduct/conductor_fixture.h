// The fixture for tests of scripts: a real dispatcher with real commands, the tours of
// testing/kinds.h, and a second kind of composites, the errand, whose child is a plain command. The
// script of a tour walks two legs; a test may replace either before it opens a Conductor. Another
// Conductor may resume where this one stopped, as that of another daemon does.
#pragma once

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/fd.h"
#include "conduct/conductor.h"
#include "dispatch/dispatcher_fixture.h"
#include "testing/kinds.h"

namespace drover::conduct {

inline constexpr std::string_view kErrand = "errand";
inline constexpr auto kErrandKinds = std::to_array<run::Kind>({
    {.name = kErrand, .composite = true, .phase = &testing::tour_rule, .first_change = "packing"},
});

inline store::sqlite::Options with_tours_and_errands() {
  static const std::array<std::span<const run::Kind>, 2> kRooms{testing::kTourKinds, kErrandKinds};
  static const run::Kinds kinds(kRooms);
  auto options = testing::with_tours();
  options.kinds = &kinds;
  return options;
}

inline run::PhaseChanged moved_to(std::string_view place) {
  return {.id = {}, .change = std::string(place), .rest = {.happening = run::Happening::completed}};
}

class ConductorTest : public dispatch::RunDispatcherTest {
 protected:
  ConductorTest() : RunDispatcherTest(with_tours_and_errands()) {}

  void SetUp() override {
    RunDispatcherTest::SetUp();
    ASSERT_EQ(::mkfifo(at("go").c_str(), 0600), 0);
    go_ = Fd(
        ::open(at("go").c_str(), O_RDWR | O_CLOEXEC));  // So that release_command() never blocks.
  }
  void TearDown() override {
    conductor_.reset();
    RunDispatcherTest::TearDown();
  }

  void open_conductor() {
    conductor_.emplace(
        Parts{
            .loop = world_->loop.get_executor(),
            .home = home_,
            .programs = home_.state,
            .reads = world_->reads,
            .bell = world_->bell,
            .dispatcher = world_->dispatcher,
            .record = [this](store::Write write) { return world_->spine.record(std::move(write)); },
            .kinds = *options_.kinds},
        std::vector<Script>{tour_script(), errand_script()});
    ASSERT_TRUE(world_->await(conductor_->resume()));
  }
  void close_conductor() {
    conductor_.reset();
    reopen_world();
  }
  void restart() {
    close_conductor();
    open_conductor();
  }

  static Composite::MakeSpec shell_spec(std::string_view kind, const std::string& text) {
    return [kind, text](const process::Command& own) -> Result<std::optional<run::Spec>> {
      run::Spec spec;
      spec.argv = {"/bin/sh", "-c", text};
      spec.cwd = own.cwd;
      spec.kind = kind;
      spec.lane = kind == testing::kLeg ? testing::kTourLane : "default";
      return spec;
    };
  }

  Script tour_script() {
    return {.kind = std::string(testing::kTour),
            .children = {std::string(testing::kLeg)},
            .see_through = [this](Composite& tour, run::Record record) {
              return walk_(tour, std::move(record));
            }};
  }
  Script errand_script() {
    return {.kind = std::string(kErrand),
            .children = {std::string(run::kCommand)},
            .see_through = [this](Composite& errand, run::Record record) {
              return buy_(errand, std::move(record));
            }};
  }
  // One plain command; then home.
  static asio::awaitable<void> one_purchase(Composite& errand, run::Record) {
    const auto child = co_await errand.ask("buy", shell_spec(run::kCommand, "echo x >> bought"));
    if (child) co_await errand.until(**child, run::State::completed);
    co_await errand.phase(moved_to(testing::kHome));
  }
  // Two legs, one after the other; then home.
  asio::awaitable<void> two_legs(Composite& tour, run::Record) {
    for (const char* key : {"first", "second"}) {
      const auto leg = co_await tour.ask(key, shell_spec(testing::kLeg, command_));
      if (!leg) break;
      co_await tour.phase(moved_to((**leg).view()));
      co_await tour.until(**leg, run::State::completed);
    }
    co_await tour.phase(moved_to(testing::kHome));
  }

  RunId begin(std::string_view kind, const std::string& scope) {
    dispatch::Submission wish;
    wish.spec.kind = kind;
    wish.spec.argv = {std::string(kind)};
    wish.spec.cwd = directory_.file("");
    wish.spec.scope = scope;
    wish.spec.lane.clear();
    wish.environment = {"PATH=/usr/bin:/bin", "API_TOKEN=hunter2-very-secret"};
    return submit(std::move(wish));
  }
  // The recorded legs, oldest first.
  std::vector<run::Record> legs() {
    return store_.list({.kind = std::string(testing::kLeg), .oldest_first = true}).value();
  }
  RunId until_leg(size_t n) {
    until_true([&] { return legs().size() >= n; });
    return legs()[n - 1].id;
  }
  void until_running(const RunId& id) {
    until(id, [](const run::Record& r) { return r.state == run::State::running; });
  }
  std::string at(const std::string& name) { return directory_.file(name); }
  std::string read(const std::string& name) { return read_file(at(name), 10'000).value_or(""); }
  // Releases one command that reads from `go`, now or later.
  void release_command() { std::ofstream(at("go")) << "go\n"; }

  std::string command_ = "echo x >> walked";
  std::function<asio::awaitable<void>(Composite&, run::Record)> walk_ =
      [this](Composite& tour, run::Record record) { return two_legs(tour, std::move(record)); };
  std::function<asio::awaitable<void>(Composite&, run::Record)> buy_ = &one_purchase;
  std::optional<Conductor> conductor_;
  Fd go_;
};

}  // namespace drover::conduct
