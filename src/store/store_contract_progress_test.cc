// The contract of a Store: progress. The log of a run keeps the newest events of it.
#include "base/limits.h"
#include "store/store_contract.h"

namespace drover::store {
namespace {

// R12: only the last few progress events stay, in the run's log and in those of its scopes; every
// other event stays, and the record has the last report.
TEST_P(StoreContract, OldProgressIsForgotten) {
  const RunId id = submit("default", "world/chat/7").id;
  must(start(id));
  for (int i = 1; i <= 30; ++i) {
    const auto written =
        must(record(run::Progressed{id, run::SaidProgress{.percent = i, .text = "step"}}));
    ASSERT_EQ(written.events.size(), 1u);
    EXPECT_EQ(written.events[0].run_seq, 3 + i);
  }
  must(record(run::Progressed{id, run::OutputGrowth{.bytes = 5, .lines = 1}}));
  must(end(id));
  const auto events = history(id);
  ASSERT_EQ(events.size(), 3u + limits::kProgressKept + 1);
  EXPECT_EQ(events[2].type, "run.started");
  EXPECT_EQ(events[3].type, "run.progress");
  EXPECT_EQ(events[3].run_seq, 35 - limits::kProgressKept);
  EXPECT_EQ(events.back().type, "run.completed");
  EXPECT_EQ(events.back().run_seq, 35);
  for (const char* scope : {"world", "world/chat", "world/chat/7"}) {
    EXPECT_EQ(must(store->events({.scope = scope, .limit = 1000})).size(), events.size()) << scope;
  }
  const run::Record after = found(id);
  EXPECT_EQ(after.events, 35);
  EXPECT_NE(after.progress.find(R"("percent":30)"), std::string::npos) << after.progress;
  EXPECT_NE(after.progress.find(R"("bytes":5)"), std::string::npos) << after.progress;
  EXPECT_TRUE(must(store->final_event(id)));
}

}  // namespace
}  // namespace drover::store
