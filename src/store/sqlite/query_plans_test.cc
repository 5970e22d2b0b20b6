// Every query that a command shows first takes constant time however long the history is: it walks
// an index. The tests check SQLite's query plans, so a missing index fails here and not in a year,
// on somebody's large database.
#include <gtest/gtest.h>

#include <algorithm>

#include "store/sqlite/database.h"
#include "store/sqlite/fixed_sql.h"
#include "store/sqlite/listing.h"
#include "store/sqlite/schema.h"
#include "store/store_contract.h"
#include "testing/directory.h"

namespace drover::store::sqlite {
namespace {

class QueryPlans : public ::testing::Test {
 protected:
  void SetUp() override { ASSERT_TRUE(migrate(database, "test", {})); }

  std::vector<std::string> plan(const std::string& sql) {
    auto ask = must(database.prepare("EXPLAIN QUERY PLAN " + sql));
    std::vector<std::string> steps;
    EXPECT_TRUE(ask.each([&](const Row& row) { steps.emplace_back(row.text(3)); }));
    EXPECT_FALSE(steps.empty());
    return steps;
  }
  std::vector<std::string> plan(const Query& query) { return plan(listing_of(query).sql); }

  // Scans no table and no index completely, except that of the active runs.
  static bool is_flat(const std::vector<std::string>& steps) {
    return std::ranges::none_of(steps, [](const std::string& step) {
      return step.starts_with("SCAN") && step.find("INDEX runs_active") == std::string::npos;
    });
  }
  // The index returns the rows in order: the first page costs a page.
  static bool is_in_order(const std::vector<std::string>& steps) {
    return std::ranges::find(steps, "USE TEMP B-TREE FOR ORDER BY") == steps.end();
  }
  static std::string show(const std::vector<std::string>& steps) {
    std::string text;
    for (const std::string& step : steps) text += "\n  " + step;
    return text;
  }

  testing::TestDirectory directory;
  Database database = must(Database::open(directory.file("drover.db"), {}));
};

// `ps` reads only the active runs, for a lane and for all.
TEST_F(QueryPlans, ActiveRunsAreFoundByThemselves) {
  for (const Query& query :
       {Query{.active_only = true}, Query{.active_only = true, .lane = "x"},
        Query{.state = run::State::queued, .lane = "x", .oldest_first = true},
        Query{.active_only = true, .scope = "a"}, Query{.active_only = true, .before = 5}}) {
    const auto steps = plan(query);
    EXPECT_TRUE(is_flat(steps)) << show(steps);
  }
}

// Pages of the history: the newest first, by state, by scope, by label; the first and the next.
TEST_F(QueryPlans, PagesOfTheHistoryComeInOrder) {
  const Query queries[] = {
      {.before = 5},
      {.state = run::State::failed},
      {.state = run::State::failed, .before = 5},
      {.name = "x"},
      {.scope = "a", .scope_alone = true, .kind = "command", .name = "x", .latest_only = true},
      {.kind = "command", .name = "x", .latest_only = true},
      {.chain = "run_x"},
      {.scope = "a"},
      {.scope = "a", .before = 5},
      {.scope = "a", .scope_alone = true, .oldest_first = true},
      {.labels = {{"k", "v"}}},
      {.labels = {{"k", "v"}, {"l", "w"}}, .before = 5},
      {.since = 1},
      {.since = 1, .until = 2},
      {.since = 1, .before = 5},
      {.scope = "a", .since = 1, .until = 2},
  };
  for (const Query& query : queries) {
    const auto steps = plan(query);
    EXPECT_TRUE(is_flat(steps)) << show(steps);
    EXPECT_TRUE(is_in_order(steps)) << show(steps);
  }
}

// `ps -a` without a filter walks the table itself, from its newest end, for one page.
TEST_F(QueryPlans, TheNewestComeFromTheEnd) {
  const auto steps = plan(Query{});
  EXPECT_TRUE(std::ranges::find(steps, "SCAN r") != steps.end()) << show(steps);
  EXPECT_TRUE(is_in_order(steps)) << show(steps);
}

// R9: the oldest runs are found by the time of their finish.
TEST_F(QueryPlans, RetentionUsesAnIndex) {
  const auto steps = plan(Query{.finished_before = 1, .oldest_first = true});
  EXPECT_TRUE(is_flat(steps)) << show(steps);
}

// R12: the event log of a scope is read along the scope, from the cursor, for one page: its own
// events from one index, those of the scopes below it from another, merged without sorting.
TEST_F(QueryPlans, TheLogOfAScopeUsesTheScopeIndexes) {
  for (const char* sql : {fixed_sql::kScopeEvents.first, fixed_sql::kScopeEvents.last}) {
    const auto steps = plan(std::string("SELECT *") + sql);
    const auto uses = [&](const std::string& step) {
      return std::ranges::any_of(steps,
                                 [&](const std::string& s) { return s.find(step) != s.npos; });
    };
    EXPECT_TRUE(uses("INDEX spine_scope (scope=? AND rowid>?)")) << show(steps);
    EXPECT_TRUE(uses("SEARCH spine_scopes USING PRIMARY KEY (scope=? AND seq>?)")) << show(steps);
    EXPECT_TRUE(uses("SEARCH spine USING INTEGER PRIMARY KEY (rowid=?)")) << show(steps);
    EXPECT_TRUE(uses("MERGE (UNION ALL)")) << show(steps);
    EXPECT_TRUE(is_flat(steps) && is_in_order(steps)) << show(steps);
  }
}

// The queries of `show`, wait, handles, cursors and submissions.
TEST_F(QueryPlans, ConstantQueriesUseAnIndex) {
  for (const std::string& sql :
       {std::string("SELECT * FROM runs WHERE id = ?1"), std::string(fixed_sql::kPrefix),
        std::string("SELECT *") + fixed_sql::kFinalEvent,
        std::string("SELECT *") + fixed_sql::kRunEvents.first,
        std::string("SELECT *") + fixed_sql::kRunEvents.last,
        std::string("SELECT *") + fixed_sql::kEvents.first,
        std::string("SELECT *") + fixed_sql::kEvents.last,
        std::string("SELECT *") + fixed_sql::kScopeEvents.first,
        std::string("SELECT *") + fixed_sql::kScopeEvents.last, std::string(fixed_sql::kSlots),
        fixed_sql::waiting("'command', 'other'"), std::string(fixed_sql::kKey),
        std::string(fixed_sql::kDependencyStatus), std::string(fixed_sql::kLaneBusy),
        std::string("DELETE FROM runs WHERE number = ?1")}) {
    const auto steps = plan(sql);
    EXPECT_TRUE(is_flat(steps)) << sql << show(steps);
    EXPECT_TRUE(is_in_order(steps)) << sql << show(steps);
  }
  for (const std::string& step : plan(fixed_sql::kLanes)) {
    EXPECT_TRUE(step == "SCAN lanes" || !step.starts_with("SCAN")) << step;
  }
}

}  // namespace
}  // namespace drover::store::sqlite
