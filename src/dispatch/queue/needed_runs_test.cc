#include "dispatch/queue/needed_runs.h"

#include <gtest/gtest.h>

#include "testing/clock.h"

namespace drover::dispatch {
namespace {

// R9, R17: a run is needed as long as one held run names it, however often that run was seen.
TEST(NeededRuns, EndWithTheLastWaiter) {
  drover::testing::ManualClock clock;
  IdMaker ids(clock);
  const RunId a = ids.next(), b = ids.next();
  run::Record first, second;
  first.id = ids.next();
  first.after = {a};
  first.after_any = {a, b};
  second.id = ids.next();
  second.after = {b};
  NeededRuns needs;
  for (const run::Record& waiter : {first, second, first}) needs.add(waiter);
  EXPECT_TRUE(needs.has(a));
  EXPECT_TRUE(needs.has(b));
  EXPECT_FALSE(needs.has(first.id));
  needs.forget(first.id);
  needs.forget(first.id);
  EXPECT_FALSE(needs.has(a));
  EXPECT_TRUE(needs.has(b));
  needs.forget(second.id);
  EXPECT_FALSE(needs.has(b));
}

}  // namespace
}  // namespace drover::dispatch
