// Events that Drover writes itself, and the loops that they could make: from the log to the ledger,
// with a real store and the followers' own Works.
#include "triggers/events/accept_event.h"

#include <gtest/gtest.h>

#include "store/store_contract.h"
#include "testing/clock.h"
#include "testing/store.h"
#include "triggers/events/event_follower.h"
#include "triggers/events/limits.h"
#include "triggers/firing/results.h"
#include "triggers/ledger/occurrence.h"
#include "triggers/limits.h"
#include "triggers/tables.h"

namespace drover::triggers {
namespace {

using store::must;

constexpr WallMs kAdded = 1'800'000'000'000;

class AcceptEvent : public ::testing::Test {
 protected:
  void write(store::Work work) {
    must(store::write_to(store_, store::Work([work](store::Transaction& t) -> Result<> {
                           if (auto ok = work(t); !ok) return ok;
                           return t.append({.subject = "marker/x", .type = "marker.set"});
                         })));
  }
  void add(const std::string& name, const std::string& source, const std::string& more = "") {
    const std::string spec = R"({"name": ")" + name +
                             R"(", "run": {"command": ["x"], "cwd": "/"}, "source": )" + source +
                             more + "}";
    const StoredTrigger trigger{
        .name = name,
        .source_type = std::string(source_type(must(read_spec(spec, kAdded)).source)),
        .spec = spec,
        .created_at = kAdded,
        .anchor = kAdded};
    write([trigger](store::Transaction& t) { return insert_trigger(t, trigger); });
    index_.set(trigger);
  }
  void on(const std::string& name, const std::string& pattern, const std::string& more = "") {
    add(name, R"({"type": "event", "on": ")" + pattern + R"("})", more);
  }
  // Reads the log to its end, as the follower does.
  void follow() {
    for (int pages = 0; pages < 1'000; ++pages) {
      const auto events = must(store_.events({.after = read_, .limit = 100}));
      if (events.empty()) return;
      for (const run::Event& event : events) {
        read_ = event.seq;
        if (event.is_of_run()) continue;
        for (const store::Work& work : followers_[0].parts(event)) {
          ++works_;
          must(store::write_to(store_, work));
        }
      }
    }
    ADD_FAILURE() << "the log has no end";
  }
  // Decides all pending occurrences as fired, until there is none; the runs are not real.
  void fire_all() {
    for (int rounds = 0; rounds < 200; ++rounds) {
      follow();
      const auto occurrences = must(pending(store_, 100));
      if (occurrences.empty()) return;
      for (const PendingKey& at : occurrences) {
        auto occurrence = *must(find_occurrence(store_, at.trigger, at.key));
        occurrence.outcome = Outcome::fired;
        occurrence.run_id = "run_" + at.trigger + "_" + at.key;
        write([at, occurrence](store::Transaction& t) {
          return decide_occurrence(t, at.trigger, occurrence);
        });
      }
    }
    ADD_FAILURE() << "the triggers start each other without end";
  }
  void fired(const std::string& name) {
    write([name, key = due_time_key(kAdded + ++due_times_)](store::Transaction& t) {
      return add_occurrence(t, name, {.key = key, .due_at = kAdded, .run_id = "run_" + key});
    });
  }
  std::vector<Occurrence> occurrences(const std::string& name) {
    return must(ledger(store_, {.trigger = name, .limit = 1'000}));
  }
  // The file changes now.
  void change(const std::string& id) {
    accept(
        "build",
        {.id = id, .type = "file.changed", .producer = "file/build", .dedup_key = "", .chain = {}});
  }
  // The run of its only pending occurrence starts and finishes now.
  void run_pending(const std::string& name) {
    const auto at = must(pending(store_, 1));
    auto occurrence = *must(find_occurrence(store_, name, at[0].key));
    run::Record run;
    run.id = ids_.next();
    run.trace_id = run.id.trace_id();
    run.kind = "command";
    run.scope = scope_of(name);
    run.command = {"x"};
    run.cwd = "/";
    run.lane = "default";
    run.queued_at = clock_.wall_ms();
    must(store::write_to(store_, run::Fact(run::Submitted{run, "", ""})));
    must(store::write_to(store_, run::Fact(run::Started{run.id, clock_.wall_ms()})));
    run::Ended ended;
    ended.id = run.id;
    ended.ending = run::Exited{0};
    ended.started_at = ended.finished_at = clock_.wall_ms();
    must(store::write_to(store_, run::Fact(ended)));
    occurrence.outcome = Outcome::fired;
    occurrence.run_id = run.id.str();
    write([name, occurrence](store::Transaction& t) {
      return decide_occurrence(t, name, occurrence);
    });
  }
  store::Written accept(const std::string& name, EventEnvelope event, std::int64_t dedup_ms = 0) {
    event.time = clock_.wall_ms();
    const WantedBy wanted{.trigger = name, .refusal = {}, .dedup_ms = dedup_ms};
    return must(store::write_to(store_, store::Work([=](store::Transaction& t) {
                                  return accept_event(t, wanted, event);
                                })));
  }

  testing::ManualClock clock_{kAdded};
  IdMaker ids_{clock_};
  testing::TestStore store_{clock_, {.rooms = {kTables}}};
  EventIndex index_;
  DecidedEvents decided_;
  std::vector<follow::Follower> followers_ = event_followers(index_, decided_);
  std::int64_t read_ = 0;
  int works_ = 0;
  int due_times_ = 0;
};

// A trigger on fired triggers starts for another one, and its own firing is stopped as a loop.
TEST_F(AcceptEvent, AFiringDoesNotFireItself) {
  on("echo", "trigger.fired");
  fired("nightly");
  fire_all();
  ASSERT_EQ(occurrences("echo").size(), 2U);
  EXPECT_EQ(occurrences("echo")[1].chain, R"(["nightly"])");
  EXPECT_EQ(occurrences("echo")[0].outcome, Outcome::skipped);
  EXPECT_TRUE(occurrences("echo")[0].reason.starts_with("loop")) << occurrences("echo")[0].reason;
}

// Triggers on all events of triggers, with filters or paused, add no occurrences about their own
// occurrences.
TEST_F(AcceptEvent, RowsAboutOccurrencesHaveAnEnd) {
  on("one", "trigger.*");
  on("two", "trigger.*");
  on("picky", "trigger.*", R"(, "filters": [{"field": "payload.no", "op": "eq", "value": 1}])");
  fired("nightly");
  fire_all();
  EXPECT_LE(occurrences("one").size() + occurrences("two").size(), 30U);
  EXPECT_TRUE(occurrences("picky").empty());
}

// A trigger whose failures start another one, whose failures start the first: the chain goes
// through the backoff of both.
TEST_F(AcceptEvent, ALoopOfBackoffsIsFound) {
  on("alarm", "trigger.backoff");
  write([](store::Transaction& t) {
    return add_occurrence(t, "alarm",
                          {.key = "evt_1", .run_id = "run_1", .event = "{}", .chain = R"(["b"])"});
  });
  write([](store::Transaction& t) {
    return t.append({.subject = "trigger/b",
                     .type = "trigger.backoff",
                     .scope = "trigger/b",
                     .data = R"({"trigger": "b", "run_id": "run_1"})"});
  });
  follow();
  EXPECT_EQ(occurrences("alarm").size(), 1U);
}

// An event that concerns a thousand triggers has an occurrence of each, in several commits, and the
// same event again adds none.
TEST_F(AcceptEvent, AThousandTriggersTakeSeveralCommits) {
  for (int i = 0; i < 1'000; ++i) on("t" + std::to_string(i), "lane.set");
  follow();
  write(
      [](store::Transaction& t) { return t.append({.subject = "lane/gpu", .type = "lane.set"}); });
  const std::int64_t before = read_;
  follow();
  EXPECT_EQ(works_, static_cast<int>((1'000 + kAcceptedPerWork - 1) / kAcceptedPerWork));
  read_ = before;
  follow();
  for (int i = 0; i < 1'000; ++i) ASSERT_EQ(occurrences("t" + std::to_string(i)).size(), 1U);
}

// Files that change while a run of their trigger is active seem to be its work: a series of such
// events ends, and a change at another time starts the trigger again.
TEST_F(AcceptEvent, ASeriesOfEchoesEnds) {
  add("build", R"({"type": "file", "root": "/src", "globs": ["*"]})");
  change("evt_first");
  for (int i = 0; i < 100 && !must(pending(store_, 1)).empty(); ++i) {
    run_pending("build");
    change("evt_" + std::to_string(i));
    clock_.advance_ms(60'000);
  }
  EXPECT_EQ(occurrences("build").size(), static_cast<size_t>(kEchoesMax) + 2);
  EXPECT_TRUE(occurrences("build")[0].reason.starts_with("loop")) << occurrences("build")[0].reason;
  change("evt_later");
  EXPECT_EQ(occurrences("build")[0].outcome, Outcome::pending);
}

// The rate of one trigger is bounded, whatever the events are; another trigger is not concerned.
TEST_F(AcceptEvent, TooManyEventsOfAMinuteAreSkipped) {
  on("busy", "deploy.done");
  on("calm", "deploy.done");
  write([](store::Transaction& t) {
    return t.execute("UPDATE triggers SET minute = $1, minute_events = $2 WHERE name = 'busy'",
                     {minute_of(t.now()), kFiringsMax});
  });
  for (const char* name : {"busy", "calm"}) {
    accept(
        name,
        {.id = "evt_1", .type = "deploy.done", .producer = "emit", .dedup_key = "", .chain = {}});
  }
  EXPECT_TRUE(occurrences("busy")[0].reason.starts_with("too_fast"))
      << occurrences("busy")[0].reason;
  EXPECT_EQ(occurrences("calm")[0].outcome, Outcome::pending);
  clock_.advance_ms(60'000);
  accept("busy",
         {.id = "evt_2", .type = "deploy.done", .producer = "emit", .dedup_key = "", .chain = {}});
  EXPECT_EQ(occurrences("busy")[0].outcome, Outcome::pending);
}

// Drover's own events repeat each other if they are of one type and about one thing.
TEST_F(AcceptEvent, DroversOwnEventsHaveKeys) {
  on("alarm", "lane.set", R"(, "dedup": "1h")");
  for (const char* lane : {"lane/gpu", "lane/gpu", "lane/cpu"}) {
    write(
        [lane](store::Transaction& t) { return t.append({.subject = lane, .type = "lane.set"}); });
  }
  follow();
  ASSERT_EQ(occurrences("alarm").size(), 3U);
  EXPECT_EQ(occurrences("alarm")[2].outcome, Outcome::pending);
  EXPECT_TRUE(occurrences("alarm")[1].reason.starts_with("duplicate: of evt_"))
      << occurrences("alarm")[1].reason;
  EXPECT_EQ(occurrences("alarm")[0].outcome, Outcome::pending);
}

// The stored windows are bounded: beyond it the oldest ends early.
TEST_F(AcceptEvent, TheWindowsAreBounded) {
  on("alarm", "deploy.done");
  write([](store::Transaction& t) {
    return t.execute(
        "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < $1) "
        "INSERT INTO trigger_windows SELECT 'alarm', i, 'evt_old', $2 + i FROM n",
        {kDedupWindowsKept, kAdded});
  });
  clock_.advance_ms(60'000);
  accept("alarm",
         {.id = "evt_1", .type = "deploy.done", .producer = "emit", .dedup_key = "k", .chain = {}},
         3'600'000);
  const auto left = must(store_.query("SELECT COUNT(*), MIN(began_at) FROM trigger_windows", {}));
  EXPECT_EQ(left[0][0].integer(), kDedupWindowsKept + 1);
  accept("alarm",
         {.id = "evt_2", .type = "deploy.done", .producer = "emit", .dedup_key = "l", .chain = {}},
         3'600'000);
  const auto after = must(store_.query("SELECT COUNT(*), MIN(began_at) FROM trigger_windows", {}));
  EXPECT_EQ(after[0][0].integer(), kDedupWindowsKept + 1);
  EXPECT_EQ(after[0][1].integer(), kAdded + 2);
}

}  // namespace
}  // namespace drover::triggers
