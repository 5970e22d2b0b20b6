// Of removed runs, one row of evidence each stays in the database, and no row of any other table.
#include <gtest/gtest.h>

#include <map>
#include <string>

#include "store/store_contract.h"
#include "testing/store.h"

namespace drover::store::sqlite {
namespace {

class TableGrowth : public ::testing::Test {
 protected:
  void write(Write wish) { must(write_to(store_, std::move(wish))); }

  // Submits runs with everything that has a row of its own, and removes them.
  void pass_runs() {
    for (int i = 0; i < 20; ++i) {
      run::Record r;
      r.id = ids_.next();
      r.trace_id = r.id.trace_id();
      r.kind = run::kCommand;
      r.scope = "world/chat/deep";
      r.lane = "default";
      r.labels = {{"a", "b"}};
      r.queued_at = clock_.wall_ms();
      write(run::Fact(run::Submitted{r, "key " + r.id.str(), "digest"}));
      run::Ended ended{.id = r.id, .ending = run::Exited{i % 3}};
      ended.started_at = ended.finished_at = clock_.wall_ms();
      write(run::Fact(ended));
      write(run::Fact(run::Deleted{r.id}));
    }
    clock_.advance_ms(1'000);
    write(LaneSet{.name = "newer", .limit = ++limit_});  // The newest event is never compacted.
  }

  void compact(Compacts what) {
    Compacted done;
    do {
      const Compaction wish{.what = what, .before = clock_.wall_ms() + 1, .keep = 1};
      done = must(write_to(store_, wish)).compacted;
    } while (done.more);
  }

  std::map<std::string, std::int64_t> rows() {
    std::map<std::string, std::int64_t> out;
    for (const Values& table :
         must(store_.query("SELECT name FROM sqlite_master WHERE type = 'table'", {}))) {
      const std::string name(table[0].text());
      out[name] = must(store_.query("SELECT count(*) FROM " + name, {})).front()[0].integer();
    }
    return out;
  }

  testing::ManualClock clock_{1'800'000'000'000};
  IdMaker ids_{clock_};
  testing::TestStore store_{clock_};
  std::int64_t limit_ = 0;
};

// R9: however many runs pass, only the evidence has more rows afterwards.
TEST_F(TableGrowth, IsThatOfTheEvidenceAlone) {
  std::map<std::string, std::int64_t> before;
  for (int round = 0; round < 3; ++round) {
    pass_runs();
    for (const Compacts what : {Compacts::removed_runs, Compacts::other_events, Compacts::keys}) {
      compact(what);
    }
    auto after = rows();
    EXPECT_EQ(after["evidence"], 20 * (round + 1));
    after["evidence"] = 0;
    if (round > 0) EXPECT_EQ(after, before);
    before = std::move(after);
  }
}

}  // namespace
}  // namespace drover::store::sqlite
