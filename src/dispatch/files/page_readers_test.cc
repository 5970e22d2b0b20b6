#include "dispatch/files/page_readers.h"

#include <gtest/gtest.h>

#include "testing/clock.h"

namespace drover::dispatch {
namespace {

// R9: a run that is read in pages counts as read for an hour after each page.
TEST(PageReaders, AreForgottenAfterAnHour) {
  drover::testing::ManualClock clock(0);
  PageReaders readers(clock);
  const RunId run = RunId::earliest(1), other = RunId::earliest(2);
  readers.remember(run);
  EXPECT_TRUE(readers.has(run));
  EXPECT_FALSE(readers.has(other));
  clock.advance_ms(3'599'999);
  EXPECT_TRUE(readers.has(run));
  readers.remember(run);
  clock.advance_ms(3'599'999);
  EXPECT_TRUE(readers.has(run));
  clock.advance_ms(1);
  EXPECT_FALSE(readers.has(run));
}

// Requests for many runs do not grow the daemon: the run that was read least recently is forgotten.
TEST(PageReaders, AreBounded) {
  drover::testing::ManualClock clock(0);
  PageReaders readers(clock);
  const RunId first = RunId::earliest(1), second = RunId::earliest(2);
  readers.remember(first);
  clock.advance_ms(1);
  readers.remember(second);
  clock.advance_ms(1);
  for (int i = 3; i <= 1'025; ++i) readers.remember(RunId::earliest(i));
  EXPECT_EQ(readers.size(), 1'024U);
  EXPECT_FALSE(readers.has(first));
  EXPECT_TRUE(readers.has(second));
  clock.advance_ms(3'600'000);
  readers.remember(first);
  EXPECT_EQ(readers.size(), 1U);
}

}  // namespace
}  // namespace drover::dispatch
