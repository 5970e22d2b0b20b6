// The contract of a Store: finding, listing, reading the log.
#include <algorithm>

#include "store/store_contract.h"
#include "testing/kinds.h"

namespace drover::store {
namespace {

using run::State;

// R5: newest first, and the cursor leads through all pages without a gap or a repetition, also when
// runs are added between two pages.
TEST_P(StoreContract, ListsInPages) {
  Ids all;
  for (int i = 0; i < 7; ++i) all.insert(all.begin(), submit().id);
  Ids seen;
  std::optional<std::int64_t> before;
  while (true) {
    const auto page = must(store->list({.before = before, .limit = 3}));
    if (page.empty()) break;
    EXPECT_LE(page.size(), 3u);
    for (const run::Record& r : page) seen.push_back(r.id);
    before = page.back().number;
    submit();
  }
  EXPECT_EQ(seen, all);
  EXPECT_EQ(listed({.oldest_first = true, .limit = 1}), Ids{all.back()});
}

// R5: by the time of submission, including the first millisecond and excluding the last.
TEST_P(StoreContract, ListsByTime) {
  Ids all;
  std::vector<WallMs> times;
  for (int i = 0; i < 4; ++i) {
    clock.advance_ms(1'000);
    times.push_back(clock.wall_ms());
    all.insert(all.begin(), submit("default", i % 2 == 0 ? "a" : "b").id);
  }
  EXPECT_EQ(listed({.since = times[0]}), all);
  EXPECT_EQ(listed({.since = times[2]}), (Ids{all[0], all[1]}));
  EXPECT_EQ(listed({.since = times[2] + 1}), Ids{all[0]});
  EXPECT_EQ(listed({.since = times[3] + 1}), Ids{});
  EXPECT_EQ(listed({.until = times[1]}), Ids{all[3]});
  EXPECT_EQ(listed({.until = times[0]}), Ids{});
  EXPECT_EQ(listed({.since = times[1], .until = times[3]}), (Ids{all[1], all[2]}));
  EXPECT_EQ(listed({.active_only = true, .scope = "b", .since = times[2]}), Ids{all[0]});
  EXPECT_EQ(listed({.since = times[0], .limit = 1}), Ids{all[0]});
}

// R5: ... also for runs from before the clock was set back, whose ids are larger than those of
// later runs. The order stays that of submission.
TEST_P(StoreContract, ListsByTimeAlthoughTheClockWasSetBack) {
  constexpr std::int64_t kHour = 3'600'000;
  const WallMs begin = clock.wall_ms();
  clock.advance_ms(2 * kHour);
  const RunId early = submit().id;
  const RunId other = submit().id;
  clock.set_wall(begin + kHour);
  IdMaker of_another_daemon(clock);
  run::Record last = draft();
  last.id = of_another_daemon.next();
  const RunId late = submit(last).id;
  ASSERT_LT(late, early);
  EXPECT_EQ(listed({.since = begin}), (Ids{late, other, early}));
  EXPECT_EQ(listed({.since = begin + kHour + 1}), (Ids{other, early}));
  EXPECT_EQ(listed({.until = begin + 2 * kHour}), Ids{late});
  EXPECT_EQ(listed({.until = begin + 3 * kHour}), (Ids{late, other, early}));
  EXPECT_EQ(listed({.since = begin, .until = begin + 2 * kHour}), Ids{late});
  EXPECT_EQ(listed({.since = begin + 2 * kHour, .until = begin + 3 * kHour}), (Ids{other, early}));
  EXPECT_EQ(listed({.since = begin + 3 * kHour}), Ids{});
}

// R5: every filter, alone and together.
TEST_P(StoreContract, ListsByEveryFilter) {
  must(set_lane("narrow", 1));
  run::Record labeled = draft();
  labeled.labels = {{"team", "core"}, {"step", "1"}};
  const RunId done = whole_life(labeled).id;
  labeled = draft("default", "app/7");
  labeled.kind = testing::kLeg;
  labeled.labels = {{"team", "core"}, {"step", "2"}};
  const RunId failed = whole_life(labeled, 1).id;
  const RunId starting = submit("narrow").id;
  const RunId queued = submit("narrow").id;
  const RunId running = submit("default", "app/7").id;
  must(start(running));

  EXPECT_EQ(listed({.active_only = true}), (Ids{running, queued, starting}));
  EXPECT_EQ(listed({.finished_only = true}), (Ids{failed, done}));
  EXPECT_EQ(listed({.state = State::failed}), Ids{failed});
  EXPECT_EQ(listed({.state = State::queued}), Ids{queued});
  EXPECT_EQ(listed({.state = State::running}), Ids{running});
  EXPECT_EQ(listed({.state = State::running, .finished_only = true}), Ids{});
  EXPECT_EQ(listed({.kind = "leg"}), Ids{failed});
  EXPECT_EQ(listed({.lane = "narrow"}), (Ids{queued, starting}));
  EXPECT_EQ(listed({.active_only = true, .lane = "narrow", .limit = 1}), Ids{queued});
  EXPECT_EQ(listed({.state = State::queued, .lane = "narrow", .oldest_first = true}), Ids{queued});
  EXPECT_EQ(listed({.labels = {{"team", "core"}}}), (Ids{failed, done}));
  EXPECT_EQ(listed({.labels = {{"team", "core"}, {"step", "1"}}}), Ids{done});
  EXPECT_EQ(listed({.state = State::failed, .labels = {{"team", "core"}}}), Ids{failed});
  EXPECT_EQ(listed({.labels = {{"team", "nobody"}}}), Ids{});
  EXPECT_EQ(listed({.labels = {{"team", "core"}}, .before = found(failed).number}), Ids{done});
  EXPECT_EQ(listed({.active_only = true, .before = found(running).number, .limit = 1}),
            Ids{queued});
  EXPECT_EQ(listed({.state = State::completed, .before = found(done).number}), Ids{});
  EXPECT_EQ(listed({.active_only = true, .scope = "app"}), Ids{running});
  EXPECT_EQ(listed({.state = State::failed, .scope = "app"}), Ids{failed});
}

// A scope includes itself and those below it; a scope that only begins with the same letters is
// another one.
TEST_P(StoreContract, AScopeIncludesThoseBelowIt) {
  const RunId top = submit("default", "world").id;
  const RunId chat = submit("default", "world/chat").id;
  const RunId deep = submit("default", "world/chat/7").id;
  const RunId next = submit("default", "world/chat2").id;
  const RunId other = submit("default", "worldly").id;
  EXPECT_EQ(listed({.scope = "world"}), (Ids{next, deep, chat, top}));
  EXPECT_EQ(listed({.scope = "world", .oldest_first = true}), (Ids{top, chat, deep, next}));
  EXPECT_EQ(listed({.scope = "world/chat"}), (Ids{deep, chat}));
  EXPECT_EQ(listed({.scope = "world/chat/7"}), Ids{deep});
  EXPECT_EQ(listed({.scope = "world/none"}), Ids{});
  EXPECT_EQ(listed({.scope = "world", .scope_alone = true}), Ids{top});
  EXPECT_EQ(listed({.scope = "world", .before = found(deep).number, .limit = 1}), Ids{chat});
  EXPECT_EQ(listed({.active_only = true, .scope = "world/chat"}), (Ids{deep, chat}));
  const auto events = must(store->events({.scope = "world/chat"}));
  EXPECT_EQ(events.size(), 4u);
  EXPECT_TRUE(std::ranges::none_of(events, [&](const auto& e) { return e.run_id == next; }));
  EXPECT_TRUE(must(store->events({.run = other, .scope = "world"})).empty());
  EXPECT_EQ(must(store->events({.run = deep, .scope = "world"})).size(), 2u);
}

// S1: a run is found by its name; a run without one is not found by the empty name.
TEST_P(StoreContract, FindsByName) {
  run::Record named = draft("default", "world/chat");
  named.name = "build";
  const RunId first = submit(named).id;
  named = draft();
  named.name = "build";
  const RunId second = whole_life(named).id;
  submit();
  EXPECT_EQ(listed({.name = "build"}), (Ids{second, first}));
  EXPECT_EQ(listed({.name = "build", .limit = 1}), Ids{second});
  EXPECT_EQ(listed({.active_only = true, .name = "build"}), Ids{first});
  EXPECT_EQ(listed({.scope = "world", .name = "build"}), Ids{first});
  EXPECT_EQ(listed({.name = "Build"}), Ids{});
  EXPECT_EQ(listed({.scope = "world/chat", .scope_alone = true, .name = "build"}), Ids{first});
  EXPECT_EQ(listed({.scope = "world", .scope_alone = true, .name = "build"}), Ids{});
}

// R12: the log of a scope has the events of all runs in it and below it, in order, and no others:
// page by page, from its end, and also for deleted runs.
TEST_P(StoreContract, ReadsTheLogOfAScope) {
  const std::vector<std::string> scopes{"world",   "world/chat", "world/chat/7", "world/chat2",
                                        "worldly", "default",    "default/x",    "default/x/y"};
  for (const std::string& scope : scopes) {
    must(remove(whole_life(draft("default", scope)).id));
    submit("default", scope);
  }
  const auto all = must(store->events({}));
  for (const char* asked : {"world", "world/chat", "world/chat/7", "world/none", "worl", "default",
                            "default/x", "default/x/y"}) {
    std::vector<std::int64_t> expected;
    for (const run::Event& event : all) {
      if (event.scope == asked || event.scope.starts_with(std::string(asked) + "/")) {
        expected.push_back(event.seq);
      }
    }
    std::vector<std::int64_t> seen;
    for (std::int64_t after = 0;; after = seen.back()) {
      const auto page = must(store->events({.after = after, .scope = asked, .limit = 3}));
      for (const run::Event& event : page) seen.push_back(event.seq);
      if (page.empty()) break;
    }
    EXPECT_EQ(seen, expected) << asked;
    std::vector<std::int64_t> last;
    for (const run::Event& event :
         must(store->events({.scope = asked, .limit = 4, .last = true}))) {
      last.push_back(event.seq);
    }
    const size_t before = expected.size() - std::min<size_t>(4, expected.size());
    expected.erase(expected.begin(), expected.begin() + static_cast<std::ptrdiff_t>(before));
    EXPECT_EQ(last, expected) << asked;
  }
}

// R12: the last events, oldest first: of all, of a scope, of a run, after a cursor.
TEST_P(StoreContract, ReadsTheEndOfTheLog) {
  whole_life(draft("default", "world"));
  const RunId id = whole_life(draft()).id;  // 4 events each.
  const auto seqs = [&](EventQuery query) {
    query.last = true;
    std::vector<std::int64_t> out;
    for (const run::Event& event : must(store->events(query))) out.push_back(event.seq);
    return out;
  };
  using Seqs = std::vector<std::int64_t>;
  EXPECT_EQ(seqs({.limit = 3}), (Seqs{6, 7, 8}));
  EXPECT_EQ(seqs({.after = 7, .limit = 3}), Seqs{8});
  EXPECT_EQ(seqs({.after = 8, .limit = 3}), Seqs{});
  EXPECT_EQ(seqs({.scope = "world", .limit = 2}), (Seqs{3, 4}));
  EXPECT_EQ(seqs({.run = id, .limit = 2}), (Seqs{7, 8}));
  EXPECT_EQ(seqs({.limit = 100}).size(), 8U);
}

// Ids resolve by any prefix, newest first, bounded.
TEST_P(StoreContract, FindsByPrefix) {
  const RunId a = submit().id;
  clock.advance_ms(1000);
  const RunId b = submit().id;
  EXPECT_EQ(must(store->find_prefix(a.str(), 2)), Ids{a});
  EXPECT_EQ(must(store->find_prefix(b.str().substr(0, 20), 2)), Ids{b});
  EXPECT_EQ(must(store->find_prefix("run_", 10)), (Ids{b, a}));
  EXPECT_EQ(must(store->find_prefix("run_", 1)), Ids{b});
  EXPECT_EQ(must(store->find_prefix("run_zzz", 10)), Ids{});
  EXPECT_EQ(must(store->find_prefix("%", 10)), Ids{});
  EXPECT_EQ(must(store->find_prefix("", 10)), (Ids{b, a}));
}

// R12: a cursor leads through the whole log, and every event is read once.
TEST_P(StoreContract, ReadsTheLogAfterACursor) {
  for (int i = 0; i < 4; ++i) whole_life(draft());
  std::int64_t cursor = 0;
  std::int64_t seen = 0;
  while (true) {
    const auto page = must(store->events({.after = cursor, .limit = 5}));
    if (page.empty()) break;
    for (const run::Event& event : page) {
      EXPECT_GT(event.seq, cursor);
      cursor = event.seq;
      ++seen;
    }
  }
  EXPECT_EQ(seen, 16);
  EXPECT_EQ(cursor, must(store->last_seq()));
  const RunId id = submit().id;
  const auto own = history(id);
  const auto rest = must(store->events({.after = own[0].seq, .run = id}));
  ASSERT_EQ(rest.size(), 1u);
  EXPECT_EQ(rest[0].seq, own[1].seq);
}

// R9: the queries of retention: which scopes are crowded (active runs do not count), which runs
// finished before a time, and the oldest finished runs of one scope alone.
TEST_P(StoreContract, AnswersRetention) {
  Ids old;
  for (int i = 0; i < 3; ++i) old.push_back(whole_life(draft("default", "world")).id);
  whole_life(draft("default", "world/chat"));
  const RunId active = submit("default", "world").id;
  clock.advance_ms(5000);
  const WallMs later = clock.wall_ms();
  must(end(active));
  const RunId still = submit("default", "world").id;

  using Crowds = std::vector<std::pair<std::string, std::int64_t>>;
  EXPECT_EQ(must(store->crowded_scopes(3)), (Crowds{{"world", 4}}));
  EXPECT_EQ(must(store->crowded_scopes(4)), Crowds{});
  EXPECT_EQ(must(store->crowded_scopes(0)), (Crowds{{"world", 4}, {"world/chat", 1}}));
  EXPECT_EQ(listed({.finished_only = true,
                    .scope = "world",
                    .scope_alone = true,
                    .oldest_first = true,
                    .limit = 2}),
            (Ids{old[0], old[1]}));
  const auto gone = listed({.finished_before = later, .oldest_first = true});
  EXPECT_EQ(gone.size(), 4u);
  EXPECT_TRUE(
      std::ranges::none_of(gone, [&](const RunId& id) { return id == active || id == still; }));
  EXPECT_EQ(listed({.finished_before = later, .oldest_first = true, .limit = 1}), Ids{old[0]});
  EXPECT_EQ(listed({.finished_before = later + 1, .limit = 1}), Ids{active});
}

// With finished_before, the runs that finished first come first, whenever they started.
TEST_P(StoreContract, OrdersFinishedRunsByTheirFinish) {
  const RunId slow = submit().id;
  const RunId quick = submit().id;
  must(end(quick));
  clock.advance_ms(10);
  must(end(slow));
  clock.advance_ms(10);
  EXPECT_EQ(listed({.finished_before = clock.wall_ms(), .oldest_first = true}), (Ids{quick, slow}));
  EXPECT_EQ(listed({.finished_before = clock.wall_ms(), .oldest_first = true, .limit = 1}),
            Ids{quick});
}

}  // namespace
}  // namespace drover::store
