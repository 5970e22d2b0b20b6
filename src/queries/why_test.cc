// What the store knows of the surroundings of a queued run.
#include "queries/why.h"

#include "queries/store_fixture.h"

namespace drover::queries {
namespace {

using WhyQueuedTest = StoreTest;

// R16: the runs that hold the slots of its lane are named, the oldest first, to those who see them.
TEST_F(WhyQueuedTest, NamesWhoHoldsTheSlots) {
  must(store::LaneSet{.name = "default", .limit = 2});
  const RunId ours = submit("", "app");
  const RunId theirs = submit("", "other");
  const run::Record waits = **store_.find(submit("", "app"));
  const auto all = look_around(store_, access::owner_grant(), waits);
  ASSERT_TRUE(all);
  EXPECT_EQ(all->lane.active, 2);
  EXPECT_EQ(all->slot_holders, (std::vector{ours, theirs}));
  EXPECT_EQ(look_around(store_, token("app"), waits)->slot_holders, std::vector{ours});
}

// R17: what it waits for stands as its record says, and as its evidence says once that was deleted.
TEST_F(WhyQueuedTest, SeesWhatItWaitsFor) {
  const RunId goes_on = submit();
  const RunId over = submit();
  run::Record record = draft();
  record.after = {over, goes_on};
  record = **store_.find(submit(record));
  finish(over);
  for (const bool deleted : {false, true}) {
    if (deleted) remove(over);
    const auto around = look_around(store_, access::owner_grant(), record);
    ASSERT_TRUE(around);
    ASSERT_EQ(around->dependencies.size(), 2U);
    EXPECT_EQ(around->dependencies[0].end, run::State::completed);
    EXPECT_EQ(around->dependencies[1].end, std::nullopt);
    const auto all = obstacles(record, *around);
    ASSERT_EQ(all.size(), 1U);
    EXPECT_EQ(all[0].runs, std::vector{goes_on});
  }
}

}  // namespace
}  // namespace drover::queries
