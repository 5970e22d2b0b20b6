// Single days of a daemon's life that went wrong once, each with the real store and followers.
#include <gtest/gtest.h>

#include <boost/json/array.hpp>
#include <boost/json/serialize.hpp>
#include <filesystem>
#include <fstream>

#include "testing/breaking_disk.h"
#include "testing/clock.h"
#include "testing/directory.h"
#include "triggers/limits.h"
#include "triggers/month/simulated_daemon_fixture.h"

namespace drover::triggers::month {
namespace {

namespace json = boost::json;

constexpr std::int64_t kHour = 3'600'000;

class SimulatedDaemonTest : public ::testing::Test {
 protected:
  SimulatedDaemonTest() {
    drover::testing::BreakingDisk::repair();
    drover::testing::BreakingDisk::keep_no_image();
    EXPECT_TRUE(home_.create());
    open();
  }
  void open() {
    daemon_.reset();
    daemon_ = std::make_unique<SimulatedDaemon>(SimulatedDaemonParts{
        .clock = clock_, .home = home_, .processes = processes_, .fetch = [this](FetchRequest) {
          return fetch();
        }});
  }
  asio::awaitable<Result<Fetched>> fetch() {
    ++fetches_;
    co_return Fetched{.body = "<rss version=\"2.0\"><channel><title>news</title></channel></rss>"};
  }
  void add(const std::string& name, json::object source, json::object more = {}) {
    more["name"] = name;
    more["source"] = std::move(source);
    more["run"] = json::object{{"command", json::array{"work"}}, {"cwd", "/"}};
    const auto added = daemon_->run(daemon_->triggers->add(std::move(more), {}));
    ASSERT_TRUE(added && *added) << (added ? added->error().message : "no answer");
  }
  void edit(const std::string& name, json::object fields) {
    const auto edited =
        daemon_->run(daemon_->triggers->edit(name, std::move(fields), std::nullopt));
    ASSERT_TRUE(edited && *edited);
  }
  void emit(const std::string& type, const std::string& payload = "") {
    const std::string body = json::serialize(json::object{{"type", type}, {"payload", payload}});
    ASSERT_TRUE(daemon_->run(daemon_->triggers->emit(body, "x", {}, "")).value());
    daemon_->settle();
  }
  void pass(std::int64_t ms) {
    clock_.advance_ms(ms);
    daemon_->timer->ring();
    daemon_->catch_up();
  }
  std::vector<Occurrence> occurrences(const std::string& name) {
    return ledger(*daemon_->store, {.trigger = name}).value();
  }

  drover::testing::ManualClock clock_;
  drover::testing::TestDirectory directory_{drover::testing::DirectoryPlace::memory};
  Home home_{directory_.file("config"), directory_.file("state"), directory_.file("run")};
  Processes processes_{clock_, [this](const run::Record&) {
                         return Process{.ends_at_ms = clock_.mono_ns() / 1'000'000 + 1'000};
                       }};
  int fetches_ = 0;
  std::unique_ptr<SimulatedDaemon> daemon_;
};

// A trigger that is edited after the clock was set back stands before due times that are in the
// ledger. It passes over them, and fires at the next one.
TEST_F(SimulatedDaemonTest, AnEditAfterTheClockWasSetBackRepeatsNothing) {
  add("hourly", {{"type", "every"}, {"every", "1h"}});
  pass(kHour);
  ASSERT_EQ(occurrences("hourly").size(), 1U);
  clock_.set_wall(clock_.wall_ms() - kHour / 2);
  edit("hourly", {{"overlap", "queue"}});
  pass(kHour / 2);
  EXPECT_EQ(occurrences("hourly").size(), 1U);
  pass(kHour);
  EXPECT_EQ(occurrences("hourly").size(), 2U);
}

// An event that was posted before a trigger was added, or before it was changed to want it, does
// not reach it, also if the next daemon reads that event again.
TEST_F(SimulatedDaemonTest, OldEventsDoNotReachNewTriggers) {
  emit("build.done");
  add("new", {{"type", "event"}, {"on", "build.done"}});
  add("other", {{"type", "event"}, {"on", "deploy.done"}});
  emit("test.done");
  edit("other", {{"source", json::object{{"type", "event"}, {"on", "test.done"}}}});
  open();
  daemon_->catch_up();
  EXPECT_TRUE(occurrences("new").empty());
  EXPECT_TRUE(occurrences("other").empty());
  emit("build.done");
  emit("test.done");
  daemon_->catch_up();
  EXPECT_EQ(occurrences("new").size(), 1U);
  EXPECT_EQ(occurrences("other").size(), 1U);
}

// A trigger that cannot fire now, here because its large event cannot be stored, delays no other.
TEST_F(SimulatedDaemonTest, OneTriggerDelaysNoOther) {
  add("a", {{"type", "event"}, {"on", "build.done"}});
  add("b", {{"type", "event"}, {"on", "build.done"}});
  std::filesystem::create_directories(home_.state + "/triggers");
  std::ofstream(home_.state + "/triggers/a.events") << "not a directory";
  emit("build.done", std::string(40'000, 'x'));
  const auto fired = [&](const std::string& name) {
    const auto all = occurrences(name);
    return !all.empty() && all.front().outcome == Outcome::fired;
  };
  while (!fired("b")) daemon_->loop.run_one_for(std::chrono::seconds(1));
  EXPECT_FALSE(fired("a"));
}

// A trigger on occurrences does not feed on its own: each of them is an event.
TEST_F(SimulatedDaemonTest, EntriesDoNotLeadToEntriesForEver) {
  for (const char* name : {"a", "b"}) {
    add(name, {{"type", "event"}, {"on", "trigger.*"}}, {{"overlap", "skip"}});
  }
  add("c", {{"type", "event"}, {"on", "trigger.skipped"}},
      {{"filters", json::array{json::object{
                       {"field", "payload.trigger"}, {"op", "eq"}, {"value", "never"}}}}});
  ASSERT_TRUE(daemon_->run(daemon_->triggers->fire("a", {})).value());
  daemon_->catch_up();
  EXPECT_LT(occurrences("a").size() + occurrences("b").size(), 50U);
  EXPECT_TRUE(occurrences("c").empty());
}

// The number of triggers is bounded, with an error that says so.
TEST_F(SimulatedDaemonTest, TriggersAreBounded) {
  add("first", {{"type", "event"}, {"on", "build.done"}});
  constexpr std::int64_t kAtOnce = 1'000;  // A Work has some milliseconds.
  for (std::int64_t n = 1; n < static_cast<std::int64_t>(kTriggersMax); n += kAtOnce) {
    const auto filled = daemon_->run(
        daemon_->recorder()(store::Work([n](store::Transaction& transaction) -> Result<> {
          auto added = transaction.execute(
              "INSERT INTO triggers (name, source, spec, created_at, anchor) "
              "WITH RECURSIVE counted(n) AS (SELECT $1 UNION ALL SELECT n + 1 FROM counted "
              "WHERE n < $2) SELECT 't' || n, 'event', '{}', 0, 0 FROM counted",
              {n, std::min(n + kAtOnce, static_cast<std::int64_t>(kTriggersMax)) - 1});
          if (!added) return added;
          return transaction.append({.subject = "trigger/many", .type = "trigger.added"});
        })));
    ASSERT_TRUE(filled && *filled) << (filled ? filled->error().message : "no answer");
  }
  const auto added = daemon_->run(daemon_->triggers->add(
      json::object{{"name", "last"},
                   {"source", json::object{{"type", "event"}, {"on", "build.done"}}},
                   {"run", json::object{{"command", json::array{"work"}}, {"cwd", "/"}}}},
      {}));
  ASSERT_TRUE(added && !*added);
  EXPECT_EQ(added->error().code, ErrorCode::exhausted);
  EXPECT_EQ(added->error().reason, "too_many_triggers");
}

// A clock that is set back by days does not silence a feed for days, also if no daemon saw it.
TEST_F(SimulatedDaemonTest, AFeedIsPolledAfterTheClockWasSetBack) {
  for (const bool is_restarted : {false, true}) {
    add(is_restarted ? "first" : "second",
        {{"type", "feed"}, {"url", "http://127.0.0.1/"}, {"allow_private", true}});
    daemon_->catch_up();
    const int before = fetches_;
    clock_.set_wall(clock_.wall_ms() - 240 * kHour);
    is_restarted ? open() : daemon_->timer->ring();
    daemon_->catch_up();
    pass(25 * kHour);
    EXPECT_GT(fetches_, before);
  }
}

}  // namespace
}  // namespace drover::triggers::month
