#include "testing/breaking_store.h"

#include <gtest/gtest.h>

#include <latch>

#include "testing/clock.h"
#include "testing/store.h"

namespace drover::testing {
namespace {

class BreakingStores : public ::testing::Test {
 protected:
  // Submits `count` runs and waits for all answers. Returns their reasons, "" for a success.
  std::vector<std::string> submit(int count) {
    std::vector<std::string> reasons(static_cast<size_t>(count));
    std::latch left(count);
    for (std::string& reason : reasons) {
      run::Record r;
      r.id = ids.next();
      r.kind = run::kCommand;
      r.lane = "default";
      breaking.write(run::Fact(run::Submitted{r, "", ""}), [&](Result<store::Written> answer) {
        if (!answer) reason = answer.error().reason;
        left.count_down();
      });
    }
    left.wait();
    return reasons;
  }

  ManualClock clock;
  IdMaker ids{clock};
  TestStore within{clock};
  BreakingStore breaking{within};
};

// Broken before the write: nothing is written. The writes before and after it succeed.
TEST_F(BreakingStores, BreakBeforeTheWrite) {
  breaking.break_write(2, BreakWhen::before);
  EXPECT_EQ(submit(3), (std::vector<std::string>{"", "broken_on_purpose", ""}));
  EXPECT_EQ(within.list({})->size(), 2U);
  EXPECT_TRUE(breaking.broke());
  EXPECT_EQ(breaking.writes(), 3);
}

// Broken after the write: it is written, and the answer says that its fate is unknown.
TEST_F(BreakingStores, BreakAfterTheWrite) {
  breaking.break_write(1, BreakWhen::after);
  EXPECT_EQ(submit(1), std::vector<std::string>{"commit_unknown"});
  EXPECT_EQ(within.list({})->size(), 1U);
  EXPECT_TRUE(breaking.broke());
}

// Reads fail between break_reads(true) and break_reads(false).
TEST_F(BreakingStores, BreakReads) {
  breaking.break_reads(true);
  EXPECT_FALSE(breaking.last_seq());
  EXPECT_FALSE(breaking.list({}));
  breaking.break_reads(false);
  EXPECT_TRUE(breaking.last_seq());
}

}  // namespace
}  // namespace drover::testing
