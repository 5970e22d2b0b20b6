#include "follow/followers.h"

#include <gtest/gtest.h>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>

#include "follow/cursor.h"
#include "store/store_contract.h"
#include "testing/breaking_store.h"
#include "testing/clock.h"
#include "testing/store.h"
#include "testing/until.h"

namespace drover::follow {
namespace {

using drover::testing::BreakWhen;
using store::must;
using store::reason_of;

constexpr auto kTallyMigrations = std::to_array<std::string_view>(
    {"CREATE TABLE tally (bell TEXT PRIMARY KEY, count INTEGER NOT NULL) STRICT, WITHOUT ROWID;"});
constexpr store::RoomSchema kTally{.room = "tally", .migrations = kTallyMigrations};

store::Work ring(const std::string& bell) {
  return [bell](store::Transaction& t) {
    return t.append({.subject = "bell/" + bell, .type = "bell.rung"});
  };
}

// Counts the rings of a bell, and appends an event. The bell `broken` is refused.
store::Work count(const run::Event& event) {
  return [bell = event.other](store::Transaction& t) -> Result<> {
    auto counted = t.execute(
        "INSERT INTO tally (bell, count) VALUES ($1, 1) "
        "ON CONFLICT (bell) DO UPDATE SET count = tally.count + 1",
        {bell});
    if (!counted) return counted;
    if (bell == "bell/broken") return fail(ErrorCode::conflict, "cracked", "it does not sound");
    return t.append({.subject = bell, .type = "bell.counted"});
  };
}

// One daemon: a loop, and everything that follows the store on it.
struct Life {
  explicit Life(store::Store& memory, std::vector<Follower> all)
      : store(memory), bell(memory, must(memory.last_seq())) {
    followers.emplace(
        loop.get_executor(), reads, bell,
        [this](store::Write write) { return spine.record(std::move(write)); },
        std::chrono::milliseconds(1));
    begun = run(followers->begin(std::move(all)));
  }

  template <class T>
  T run(asio::awaitable<T> work) {
    std::optional<T> out;
    asio::co_spawn(loop, std::move(work), [&](std::exception_ptr bug, T result) {
      if (bug) std::rethrow_exception(bug);
      out.emplace(std::move(result));
    });
    until([&] { return out.has_value(); });
    return std::move(*out);
  }
  // Runs the loop until `f` is true. For things that must happen soon.
  template <class F>
  void until(F f) {
    if (!testing::run_until(loop, f)) throw std::runtime_error("stuck");
  }
  // Through the spine, as a daemon writes; repeated until it is known to have landed.
  void write(const store::Work& work) { must(run(spine.record(work))); }
  FollowerStatus status() { return followers->list().at(0); }
  void until_idle() {
    until([&] { return status().lag == 0; });
  }
  void until_stopped() {
    until([&] { return status().stopped_at != 0; });
  }

  asio::io_context loop;
  asio::executor_work_guard<asio::io_context::executor_type> guard{loop.get_executor()};
  store::Store& store;
  store::ReadPool reads{loop.get_executor(), store};
  bus::Bell bell;
  spine::Spine spine{loop.get_executor(), store, bell};
  std::optional<Followers> followers;
  Result<> begun;
};

class FollowersTest : public ::testing::Test {
 protected:
  static Follower counter() {
    return {.name = "counter",
            .filter = {.run = {}, .scope = {}, .about = "bell"},
            .types = {"bell.rung"},
            .on = count};
  }
  Life begin(Follower follower = counter()) { return Life(store_, {std::move(follower)}); }

  std::int64_t counted(const std::string& bell) {
    const auto rows =
        must(kept_.query("SELECT count FROM tally WHERE bell = $1", {"bell/" + bell}));
    return rows.empty() ? 0 : rows[0][0].integer();
  }
  std::vector<std::string> types() {
    std::vector<std::string> out;
    for (const run::Event& event : must(kept_.events({.limit = 1'000}))) out.push_back(event.type);
    return out;
  }
  std::ptrdiff_t told(const std::string& type) { return std::ranges::count(types(), type); }
  Cursor stored(const std::string& name = "counter") { return must(read_cursors(kept_))[name]; }

  drover::testing::ManualClock clock_;
  drover::testing::TestStore kept_{clock_, {.rooms = {kTables, kTally}}};
  drover::testing::BreakingStore store_{kept_};
};

// A follower handles every event that it wants, including those before it existed, and is idle
// then.
TEST_F(FollowersTest, HandleTheEventsTheyWant) {
  must(write_to(kept_, ring("a")));
  Life life = begin();
  ASSERT_TRUE(life.begun);
  life.write(ring("a"));
  life.write(ring("b"));
  life.until_idle();
  EXPECT_EQ(counted("a"), 2);
  EXPECT_EQ(counted("b"), 1);
  EXPECT_EQ(told("bell.counted"), 3);
  EXPECT_EQ(stored().stopped_at, 0);
}

// The next daemon continues after the cursor, and repeats nothing.
TEST_F(FollowersTest, ContinueWhereTheLastDaemonStopped) {
  {
    Life life = begin();
    life.write(ring("a"));
    life.until_idle();
  }
  must(write_to(kept_, ring("a")));
  kept_.reopen();
  int asked = 0;
  Follower again = counter();
  again.on = [&asked, on = again.on](const run::Event& event) {
    ++asked;
    return on(event);
  };
  Life life = begin(again);
  life.until_idle();
  EXPECT_EQ(asked, 1) << "the cursor was not read";
  EXPECT_EQ(counted("a"), 2);
  EXPECT_EQ(told("bell.counted"), 2);
}

// A cursor beyond the end of the log, of an older database: the next events are not skipped.
TEST_F(FollowersTest, ContinueAtTheEndOfAnOlderLog) {
  must(write_to(kept_, ring("a")));
  must(write_to(kept_, place_cursor("counter", 1'000)));
  {
    Life life = begin();
    life.write(ring("b"));
    life.until_idle();
    EXPECT_EQ(counted("b"), 1);
  }
  EXPECT_LT(stored().seq, 1'000);
}

// A follower that starts now ignores the past, and so does the next daemon.
TEST_F(FollowersTest, MayStartNow) {
  Follower late = counter();
  late.begins = StartFrom::now;
  must(write_to(kept_, ring("a")));
  {
    Life life = begin(late);
  }
  must(write_to(kept_, ring("b")));
  Life life = begin(late);
  life.until_idle();
  EXPECT_EQ(counted("a"), 0);
  EXPECT_EQ(counted("b"), 1);
}

// Whichever write breaks, before or after it is made, the Work of each event is committed once.
TEST_F(FollowersTest, WorkOnceWhateverBreaks) {
  for (const BreakWhen when : {BreakWhen::before, BreakWhen::after}) {
    bool broke = true;
    for (int n = 1; broke; ++n) {
      const std::string bell = std::to_string(n) + (when == BreakWhen::before ? "b" : "a");
      for (int i = 0; i < 3; ++i) must(write_to(kept_, ring(bell)));
      store_.break_write(n, when);
      {
        Life life = begin();
        life.until_idle();
        broke = store_.broke();
      }
      EXPECT_EQ(counted(bell), 3) << bell;
      ASSERT_LT(n, 20);
    }
  }
  EXPECT_EQ(told("bell.counted"), told("bell.rung"));
}

// An unreadable store is tried again; no event is missed.
TEST_F(FollowersTest, WaitForAStoreThatCannotBeRead) {
  Life life = begin();
  life.until_idle();
  must(write_to(kept_, ring("a")));
  store_.break_reads(true);
  life.bell.catch_up(must(kept_.last_seq()));
  for (int i = 0; i < 5; ++i) life.loop.run_one();
  EXPECT_EQ(life.status().lag, 1);
  store_.break_reads(false);
  life.until_idle();
  EXPECT_EQ(counted("a"), 1);
}

// A refused Work stops its follower there, with nothing of it written, also for the next daemon;
// the others continue.
TEST_F(FollowersTest, StopAtARefusal) {
  Follower other = counter();
  other.name = "other";
  other.on = [](const run::Event& event) -> store::Work {
    return [subject = event.other](store::Transaction& t) {
      return t.append({.subject = subject, .type = "bell.heard"});
    };
  };
  {
    Life life(store_, {counter(), other});
    life.write(ring("broken"));
    life.write(ring("a"));
    life.until_stopped();
    life.until([&] { return told("bell.heard") == 2; });
    EXPECT_EQ(life.status().reason, "cracked: it does not sound");
    EXPECT_GE(life.status().lag, 2);
  }
  Life life = begin();
  EXPECT_EQ(life.status().stopped_at, stored().stopped_at);
  EXPECT_NE(stored().stopped_at, 0);
  EXPECT_EQ(counted("broken"), 0);
  EXPECT_EQ(counted("a"), 0);
  EXPECT_EQ(told("follower.stopped"), 1);
}

// Skipping leaves that one event out and continues after it; resuming tries it again.
TEST_F(FollowersTest, ResumeAndSkip) {
  Life life = begin();
  life.write(ring("broken"));
  life.write(ring("a"));
  life.until_stopped();
  must(life.run(life.followers->resume("counter")));
  life.until_stopped();
  EXPECT_EQ(told("follower.stopped"), 2);
  EXPECT_EQ(counted("a"), 0);
  must(life.run(life.followers->skip("counter")));
  life.until_idle();
  EXPECT_EQ(life.status().stopped_at, 0);
  EXPECT_EQ(counted("broken"), 0);
  EXPECT_EQ(counted("a"), 1);
  EXPECT_EQ(told("follower.skipped"), 1);
  EXPECT_EQ(reason_of(life.run(life.followers->skip("counter"))), "not_stopped");
  EXPECT_EQ(reason_of(life.run(life.followers->resume("nobody"))), "not_found");
}

// A stopped follower that the next daemon resumes is at the event where it stopped.
TEST_F(FollowersTest, ResumeUnderTheNextDaemon) {
  {
    Life life = begin();
    life.write(ring("broken"));
    life.until_stopped();
  }
  Life life = begin();
  must(life.run(life.followers->skip("counter")));
  life.write(ring("a"));
  life.until_idle();
  EXPECT_EQ(counted("a"), 1);
}

// Stop, resume and skip survive a store that breaks at each write: repeating the request is enough.
TEST_F(FollowersTest, ResumeWhateverBreaks) {
  for (const BreakWhen when : {BreakWhen::before, BreakWhen::after}) {
    bool broke = true;
    for (int n = 1; broke; ++n) {
      must(write_to(kept_, ring("broken")));
      const auto seq = must(kept_.last_seq());
      store_.break_write(n, when);
      {
        Life life = begin();
        life.until([&] { return life.status().stopped_at == seq; });
        while (!life.run(life.followers->skip("counter"))) {
        }
        life.until_idle();
        EXPECT_EQ(life.status().stopped_at, 0);
        broke = store_.broke();
      }
      EXPECT_GE(stored().seq, seq);
      ASSERT_LT(n, 20);
    }
  }
  EXPECT_EQ(counted("broken"), 0);
}

// A Work that changes something without an event is refused, so its follower stops.
TEST_F(FollowersTest, MustAppendAnEventForAChange) {
  Follower silent = counter();
  silent.on = [](const run::Event&) -> store::Work {
    return [](store::Transaction& t) {
      return t.execute("INSERT INTO tally (bell, count) VALUES ('x', 1)", {});
    };
  };
  Life life = begin(silent);
  life.write(ring("a"));
  life.until_stopped();
  EXPECT_TRUE(life.status().reason.starts_with("work_untold")) << life.status().reason;
}

// An exception in a follower is a refusal as well.
TEST_F(FollowersTest, StopAtAnException) {
  Follower wild = counter();
  wild.on = [](const run::Event&) -> store::Work { throw std::runtime_error("no idea"); };
  Life life = begin(wild);
  life.write(ring("a"));
  life.until_stopped();
  EXPECT_EQ(life.status().reason, "follower_failed: no idea");
}

// Events that a follower does not want cost no commit; its Work may be empty.
TEST_F(FollowersTest, WriteNothingForUnwantedEvents) {
  Follower choosy = counter();
  choosy.on = [](const run::Event& event) -> store::Work {
    return event.other == "bell/a" ? count(event) : store::Work{};
  };
  Life life = begin(choosy);
  life.write(
      [](store::Transaction& t) { return t.append({.subject = "lane/x", .type = "lane.set"}); });
  for (int i = 0; i < 10; ++i) life.write(ring("b"));
  life.until_idle();
  EXPECT_EQ(stored().seq, 0);
  life.write(ring("a"));
  life.until_idle();
  EXPECT_EQ(counted("a"), 1);
  EXPECT_EQ(stored().seq, life.bell.last_seq() - 1);  // After it is only the event of its own Work.
}

// A follower does not delay the compaction of events that its filter skips: the events of a run
// count as handled at once, although they do not wake a follower of bells.
TEST_F(FollowersTest, LetUnwantedEventsBeCompacted) {
  Life life = begin();
  life.write(ring("a"));
  life.until_idle();
  IdMaker ids{clock_};
  run::Record record;
  record.id = ids.next();
  record.trace_id = record.id.trace_id();
  record.kind = "command";
  record.scope = "default";
  record.command = {"true"};
  record.cwd = "/";
  record.lane = "default";
  must(life.run(life.spine.record(run::Submitted{std::move(record), "", ""})));
  EXPECT_EQ(types().back(), "run.starting");
  EXPECT_EQ(must(life.run(life.followers->read_by_all())), life.bell.last_seq());
}

// After a long stretch of them the cursor moves all the same, without an event.
TEST_F(FollowersTest, MoveTheirCursorNowAndThen) {
  Follower deaf = counter();
  deaf.types = {"bell.cast"};
  const store::Work many = [](store::Transaction& t) -> Result<> {
    for (int i = 0; i < 200; ++i) {
      if (auto ok = t.append({.subject = "bell/x", .type = "bell.rung"}); !ok) return ok;
    }
    return {};
  };
  while (must(kept_.last_seq()) < kCursorStride) must(write_to(kept_, many));
  const std::int64_t last = must(kept_.last_seq());
  Life life = begin(deaf);
  life.until([&] { return stored().seq == last; });
  EXPECT_EQ(must(kept_.last_seq()), last);
}

}  // namespace
}  // namespace drover::follow
