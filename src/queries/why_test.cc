// The store's part of the answer to why a queued run is not running.
#include "queries/why.h"

#include "queries/store_fixture.h"

namespace drover::queries {
namespace {

using WhyQueuedTest = StoreTest;

// R16: the runs that hold the slots of its lane are named, oldest first, to callers who can see
// them.
TEST_F(WhyQueuedTest, NamesTheRunsThatHoldTheSlots) {
  must(store::LaneSet{.name = "default", .limit = 2});
  const RunId ours = submit("", "app");
  const RunId theirs = submit("", "other");
  const run::Record waits = **store_.find(submit("", "app"));
  const auto all = read_queue_context(store_, access::owner_grant(), waits);
  ASSERT_TRUE(all);
  EXPECT_EQ(all->lane.active, 2);
  EXPECT_EQ(all->slot_holders, (std::vector{ours, theirs}));
  EXPECT_EQ(read_queue_context(store_, token("app"), waits)->slot_holders, std::vector{ours});
}

// R17: the state of a dependency comes from its record, and from its evidence once the record was
// deleted.
TEST_F(WhyQueuedTest, KnowsTheStateOfADependency) {
  const RunId active = submit();
  const RunId over = submit();
  run::Record record = draft();
  record.after = {over, active};
  record = **store_.find(submit(record));
  finish(over);
  for (const bool deleted : {false, true}) {
    if (deleted) remove(over);
    const auto context = read_queue_context(store_, access::owner_grant(), record);
    ASSERT_TRUE(context);
    ASSERT_EQ(context->dependencies.size(), 2U);
    EXPECT_EQ(context->dependencies[0].end, run::State::completed);
    EXPECT_EQ(context->dependencies[1].end, std::nullopt);
    const auto all = obstacles(record, *context);
    ASSERT_EQ(all.size(), 1U);
    EXPECT_EQ(all[0].runs, std::vector{active});
  }
}

}  // namespace
}  // namespace drover::queries
