// The fakes' own manners; that MemoryStore is a Store is shown by the contract suite in store/.
#include "testing/store.h"

#include <gtest/gtest.h>

#include "testing/breaking_store.h"
#include "testing/clock.h"

namespace drover::testing {
namespace {

class FakeStores : public ::testing::Test {
 protected:
  store::Write submission() {
    run::Record r;
    r.id = ids.next();
    r.lane = "default";
    return run::Fact(run::Submitted{r, "", ""});
  }
  store::Done tell() {
    return [this](Result<store::Written> answer) {
      told.push_back(answer ? "" : answer.error().reason);
    };
  }

  ManualClock clock;
  IdMaker ids{clock};
  MemoryStore memory{clock, Telling::at_flush};
  BreakingStore breaking{memory};
  std::vector<std::string> told;
};

// Nothing is written or told before the test says so.
TEST_F(FakeStores, WaitForTheFlush) {
  memory.write(submission(), tell());
  EXPECT_EQ(*memory.last_seq(), 0);
  EXPECT_TRUE(told.empty());
  EXPECT_EQ(memory.flush(), 1u);
  EXPECT_EQ(*memory.last_seq(), 2);
  EXPECT_EQ(told.size(), 1u);
}

// Broken before the write: told at once, and nothing is there. The next one passes.
TEST_F(FakeStores, BreakBeforeTheWrite) {
  breaking.break_write(2, BreakWhen::before);
  for (int i = 0; i < 3; ++i) breaking.write(submission(), tell());
  EXPECT_EQ(told, std::vector<std::string>{"broken_on_purpose"});
  memory.flush();
  EXPECT_EQ(memory.list({})->size(), 2u);
  EXPECT_TRUE(breaking.broke());
  EXPECT_EQ(breaking.writes(), 3);
}

// Broken after the write: it is there, and the answer says that it is not.
TEST_F(FakeStores, BreakAfterTheWrite) {
  breaking.break_write(1, BreakWhen::after);
  breaking.write(submission(), tell());
  EXPECT_TRUE(told.empty());
  memory.flush();
  EXPECT_EQ(told, std::vector<std::string>{"commit_unknown"});
  EXPECT_EQ(memory.list({})->size(), 1u);
  EXPECT_TRUE(breaking.broke());
}

// Reads break while they are told to.
TEST_F(FakeStores, BreakReads) {
  breaking.break_reads(true);
  EXPECT_FALSE(breaking.last_seq());
  EXPECT_FALSE(breaking.list({}));
  breaking.break_reads(false);
  EXPECT_TRUE(breaking.last_seq());
}

}  // namespace
}  // namespace drover::testing
