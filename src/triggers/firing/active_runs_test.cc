#include "triggers/firing/active_runs.h"

#include <gtest/gtest.h>

#include "access/token.h"
#include "testing/store.h"
#include "triggers/tables.h"

namespace drover::triggers {
namespace {

// The search costs nothing, however many runs of other triggers are active, and however long the
// history of the scope is.
TEST(ActiveRuns, AreFoundByTheirIndex) {
  SystemClock clock;
  testing::TestStore store{clock, {.rooms = {access::kTokenTables, kTables}}};
  const auto plan =
      store.query("EXPLAIN QUERY PLAN " + std::string(kActiveRuns), {"trigger/nightly", 1});
  ASSERT_TRUE(plan) << plan.error().message;
  ASSERT_EQ(plan->size(), 1U);
  EXPECT_NE(plan->front()[3].text().find("runs_unfinished_scope"), std::string::npos)
      << plan->front()[3].text();
}

}  // namespace
}  // namespace drover::triggers
