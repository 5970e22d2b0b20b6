// The row of evidence is small, and is read back as written.
#include "store/sqlite/remains_row.h"

#include <gtest/gtest.h>

#include "store/sqlite/schema.h"
#include "store/store_contract.h"
#include "testing/directory.h"

namespace drover::store::sqlite {
namespace {

class RemainsRow : public ::testing::Test {
 protected:
  RemainsRow() { EXPECT_TRUE(migrate(database, path, {})); }

  run::Remains completed() {
    clock.advance_ms(700);
    run::Record r;
    r.id = ids.next();
    r.trace_id = r.id.trace_id();
    r.kind = "command";
    r.scope = "default";
    r.state = run::State::completed;
    r.reason = run::Reason::exit_zero;
    r.origin = run::Origin::process;
    r.exit_code = 0;
    r.queued_at = clock.wall_ms() + 1;
    r.started_at = r.queued_at + 12;
    r.finished_at = r.queued_at + 90'000;
    r.stdout_bytes = 4'321;
    r.events = 4;
    return {.seq = seq += 5, .record = r};
  }
  run::Remains failed() {
    run::Remains remains = completed();
    remains.record.state = run::State::failed;
    remains.record.reason = run::Reason::exit_nonzero;
    remains.record.exit_code = 17;
    remains.record.stderr_bytes = 70'000;
    remains.record.message = std::string(limits::kMessageBytesMax, 'x');
    return remains;
  }
  // As a run that another one started, in a scope of its own.
  static run::Remains nested(run::Remains remains) {
    remains.record.scope = "tour/0123456789abcdef012345";
    remains.record.trace_id = "0123456789abcdef0123456789abcdef";
    remains.record.parent_run_id = remains.record.id.str();
    return remains;
  }
  // As a run in a run in …, that many runs deep, in the scope and the trace that it gets.
  run::Remains beneath(run::Remains remains, int depth) {
    std::string& parent = remains.record.parent_run_id;
    const RunId outermost = ids.next();
    parent = outermost.str();
    remains.record.scope += "/" + parent;
    for (; depth > 1; --depth) remains.record.scope += "/" + (parent = ids.next().str());
    remains.record.trace_id = outermost.trace_id();
    return remains;
  }
  // The same in a trace that its caller has named.
  run::Remains traced(run::Remains remains, int depth) {
    remains = beneath(std::move(remains), depth);
    remains.record.trace_id = "0123456789abcdef0123456789abcdef";
    return remains;
  }

  // The bytes of the file for each of 100,000 rows, rounded up.
  std::int64_t bytes_of_a_row(const std::function<run::Remains()>& make) {
    constexpr std::int64_t kRows = 100'000;
    const auto size = [&] { return must(database.integer("PRAGMA page_count")) * 4'096; };
    const std::int64_t before = size();
    auto insert = must(prepare_insert_remains(database));
    EXPECT_TRUE(database.execute("BEGIN"));
    for (int i = 0; i < kRows; ++i) EXPECT_TRUE(insert_remains(insert, make()));
    EXPECT_TRUE(database.execute("COMMIT"));
    return (size() - before + kRows - 1) / kRows;
  }

  testing::TestDirectory directory{testing::DirectoryPlace::memory};
  std::string path = directory.file("drover.db");
  Database database = must(Database::open(path, {}));
  testing::ManualClock clock{1'800'000'000'000};
  IdMaker ids{clock};
  std::int64_t seq = 50'000'000;
};

// R9: at most 200 bytes on disk for a completed run and 800 for a failed one, also for a run within
// three runs, in any trace; at most 300 and 820 within eight, the most there are (docs/schema.md).
TEST_F(RemainsRow, EvidenceIsSmall) {
  const std::int64_t plain = bytes_of_a_row([&] { return completed(); });
  const std::int64_t child = bytes_of_a_row([&] { return nested(completed()); });
  const std::int64_t wordy = bytes_of_a_row([&] { return failed(); });
  const std::int64_t wordy_child = bytes_of_a_row([&] { return nested(failed()); });
  std::printf("bytes of a row: %ld, %ld; failed: %ld, %ld\n", plain, child, wordy, wordy_child);
  EXPECT_LE(plain, 100);
  EXPECT_LE(child, 200);
  EXPECT_LE(wordy, 800);
  EXPECT_LE(wordy_child, 800);
  for (const int depth : {1, 2, 3, 8}) {
    ASSERT_LE(beneath(completed(), depth).record.scope.size(), limits::kScopeBytesMax);
    const std::int64_t quiet = bytes_of_a_row([&] { return beneath(completed(), depth); });
    const std::int64_t other = bytes_of_a_row([&] { return traced(completed(), depth); });
    const std::int64_t loud = bytes_of_a_row([&] { return traced(failed(), depth); });
    std::printf("%d runs deep: %ld, %ld; failed: %ld\n", depth, quiet, other, loud);
    EXPECT_LE(quiet, depth == 8 ? 300 : 200) << depth;
    EXPECT_LE(other, depth == 8 ? 300 : 200) << depth;
    EXPECT_LE(loud, depth == 8 ? 820 : 800) << depth;
  }
}

// Every field is read back as written, whether it has the usual value or not.
TEST_F(RemainsRow, IsReadBackAsWritten) {
  run::Remains other = nested(failed());
  other.record.kind = "tour";
  other.record.signal = 9;
  other.record.exit_code = std::nullopt;
  other.record.failed_step = LaunchStep::exec;
  other.record.launch_error = ENOENT;
  other.record.cancel_requested = true;
  other.record.retried_by = ids.next().str();
  other.record.started_at = 0;
  other.record.finished_at = other.record.queued_at - 1'000;  // The clock was set back.
  run::Remains bare = completed();
  bare.record.reason = std::nullopt;
  bare.record.origin = std::nullopt;
  for (const run::Remains& written : {completed(), failed(), other, bare, beneath(completed(), 2),
                                      traced(failed(), 8), nested(completed())}) {
    auto insert = must(prepare_insert_remains(database));
    ASSERT_TRUE(insert_remains(insert, written));
    auto ask = must(database.prepare("SELECT " + std::string(kRemainsColumns) +
                                     " FROM evidence WHERE id = ?1"));
    std::optional<run::Remains> read;
    ASSERT_TRUE(ask.each([&](const Row& row) { read = must(read_remains(row)); },
                         written.record.id.view()));
    ASSERT_TRUE(read);
    EXPECT_EQ(read->seq, written.seq);
    const run::Event before = run::final_event(written), after = run::final_event(*read);
    EXPECT_EQ(after.data, before.data);
    EXPECT_EQ(after.trace_id, before.trace_id);
    EXPECT_EQ(after.scope, before.scope);
    EXPECT_EQ(after.time, before.time);
    EXPECT_EQ(after.run_seq, before.run_seq);
    EXPECT_EQ(after.type, before.type);
  }
}

// A row that an earlier release has written, with the ids in its scope and its trace in full, is
// read as before.
TEST_F(RemainsRow, OfAnEarlierReleaseIsRead) {
  const run::Remains written = beneath(completed(), 2);
  auto insert = must(prepare_insert_remains(database));
  ASSERT_TRUE(insert_remains(insert, written));
  ASSERT_TRUE(database.execute("UPDATE evidence SET scope = '" + written.record.scope +
                               "', trace_id = x'" + written.record.trace_id + "'"));
  auto ask = must(database.prepare("SELECT " + std::string(kRemainsColumns) + " FROM evidence"));
  ASSERT_TRUE(ask.each([&](const Row& row) {
    const run::Event read = run::final_event(must(read_remains(row)));
    EXPECT_EQ(read.scope, written.record.scope);
    EXPECT_EQ(read.trace_id, written.record.trace_id);
    EXPECT_EQ(read.data, run::final_event(written).data);
  }));
}

// A value that Drover never writes is reported, not guessed.
TEST_F(RemainsRow, AStrangeValueIsCorrupt) {
  auto insert = must(prepare_insert_remains(database));
  for (const char* damage : {"state = 1", "reason = 99", "origin = -1", "failed_step = 99",
                             "scope = char(1) || 'short'"}) {
    const run::Remains written = completed();
    ASSERT_TRUE(insert_remains(insert, written));
    ASSERT_TRUE(database.execute("UPDATE evidence SET " + std::string(damage)));
    auto ask = must(database.prepare("SELECT " + std::string(kRemainsColumns) + " FROM evidence"));
    ASSERT_TRUE(ask.each([&](const Row& row) {
      EXPECT_EQ(reason_of(read_remains(row)), "database_corrupt") << damage;
    }));
    ASSERT_TRUE(database.execute("DELETE FROM evidence"));
  }
}

}  // namespace
}  // namespace drover::store::sqlite
