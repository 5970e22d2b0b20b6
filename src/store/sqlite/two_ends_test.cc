// Independent writers that know no rule but the table's own constraint.
#include <gtest/gtest.h>

#include <atomic>
#include <barrier>
#include <string>
#include <thread>
#include <vector>

#include "store/sqlite/database.h"
#include "store/sqlite/sqlite_store.h"
#include "store/store_contract.h"
#include "testing/directory.h"

namespace drover::store::sqlite {
namespace {

// H7: two final events of one run are impossible. Four connections race to write one for each of
// thousands of runs, with only the constraint to stop them: each run gets exactly one.
TEST(TwoEnds, AreImpossible) {
  constexpr int kRuns = 2'000;
  constexpr int kWriters = 4;
  const testing::TestDirectory directory;
  const std::string path = directory.file("drover.db");
  const SystemClock clock;
  must(SqliteStore::open(path, clock));  // Creates the tables.

  std::vector<std::atomic<int>> ends(kRuns);
  std::barrier<> together(kWriters);
  {
    std::vector<std::jthread> writers;
    for (int writer = 0; writer < kWriters; ++writer) {
      writers.emplace_back([&, writer] {
        auto database = must(Database::open(path, {}));
        ASSERT_TRUE(database.execute("PRAGMA synchronous = OFF"));
        auto insert = must(database.prepare(
            "INSERT INTO spine (subject, run_seq, type, time, trace_id, scope, terminal, data) "
            "VALUES (?1, ?2, 'run.completed', 0, '', '', 1, '{}')"));
        for (int run = 0; run < kRuns; ++run) {
          if (run % 100 == 0) together.arrive_and_wait();  // Keeps the connections together.
          const auto written = insert.run("run_" + std::to_string(run), writer + 1);
          if (written) {
            ++ends[static_cast<size_t>(run)];
          } else {
            EXPECT_EQ(written.error().reason, kAlreadyRecorded) << written.error().message;
          }
        }
      });
    }
  }
  for (int run = 0; run < kRuns; ++run) EXPECT_EQ(ends[static_cast<size_t>(run)], 1) << run;
  auto database = must(Database::open(path, {}));
  EXPECT_EQ(must(database.integer("SELECT count(*) FROM spine WHERE terminal")), kRuns);
}

}  // namespace
}  // namespace drover::store::sqlite
