// Whichever call to the disk fails, and however: the store returns a typed error and continues;
// acknowledged writes are there, denied ones are not, and nothing is there by half.
#include <fmt/format.h>

#include <set>

#include "store/sqlite/whole_life_fixture.h"
#include "testing/breaking_disk.h"

namespace drover::store {
namespace {

using testing::BreakingDisk;
using testing::Fault;
using testing::FaultDuration;
using testing::PowerCut;

class EveryCall : public ::testing::TestWithParam<std::tuple<Fault, FaultDuration>> {
 protected:
  void TearDown() override { BreakingDisk::repair(); }

  // One life, with the n-th call broken. False: it had fewer calls.
  bool live(int n) {
    const testing::TestDirectory directory(testing::DirectoryPlace::memory);
    path_ = directory.file("drover.db");
    when_ = fmt::format("call {}", n);
    WholeLife life;
    BreakingDisk::repair();
    BreakingDisk::begin_image();
    BreakingDisk::break_call(n, std::get<Fault>(GetParam()), std::get<FaultDuration>(GetParam()));
    auto store = open(life.clock);
    for (size_t i = 0; i < life.steps.size(); ++i) {
      send(*store, life, i);
      ask(*store);
    }
    const size_t all = life.steps.size();
    expect_text(text_of(path_), all, all, when_ + ", at the end");
    store.reset();
    expect_after_power_cut(all, all, when_ + ", closed");
    BreakingDisk::repair();
    store = open(life.clock);
    expect_text(text_of(path_), all, all, when_ + ", opened again");
    return BreakingDisk::broke();
  }

 private:
  std::unique_ptr<SqliteStore> open(const Clock& clock) {
    sqlite::Options options = testing::with_tours();
    options.vfs = BreakingDisk::kName;
    options.wal_pages_max = 20;  // A checkpoint every few writes.
    auto store = SqliteStore::open(path_, clock, options);
    if (store) return std::move(*store);
    expect_trouble(store.error());
    BreakingDisk::repair();
    return must(SqliteStore::open(path_, clock, options));
  }

  void send(SqliteStore& store, WholeLife& life, size_t number) {
    size_t sent = number;
    // Twice on the broken disk, if it stays broken; then it is repaired.
    for (int attempt = 1; attempt <= 3; ++attempt) {
      if (attempt == 3) BreakingDisk::repair();
      const bool broken_before = BreakingDisk::broke();
      const auto answer = life.send(store, number);
      const bool acknowledged = answer || answer.error().code == ErrorCode::conflict;
      if (acknowledged && BreakingDisk::broke() == broken_before) return;
      if (!acknowledged) expect_trouble(answer.error());
      if (!acknowledged && answer.error().reason == "commit_unknown") sent = number + 1;
      const std::string what = fmt::format("{}, write {}, attempt {}: {}", when_, number + 1,
                                           attempt, acknowledged ? "heard" : answer.error().reason);
      expect_text(text_of(path_), acknowledged ? number + 1 : number,
                  acknowledged ? number + 1 : sent, what);
      expect_after_power_cut(acknowledged ? number + 1 : number, acknowledged ? number + 1 : sent,
                             what);
      if (acknowledged) return;
    }
    ADD_FAILURE() << when_ << ", write " << number + 1 << " is denied by a disk that works";
  }

  // A read that fails succeeds when it is repeated.
  void ask(SqliteStore& store) {
    const auto events = store.events({});
    if (events) return;
    expect_trouble(events.error());
    BreakingDisk::repair();
    EXPECT_TRUE(store.events({})) << when_;
  }

  // A disk error is temporary: no reason to give up the database.
  void expect_trouble(const Error& error) {
    static const std::set<std::string> reasons{"disk_full", "database_error", "system_error",
                                               "commit_unknown"};
    EXPECT_TRUE(error.code == ErrorCode::unavailable && reasons.contains(error.reason))
        << when_ << ": " << error.reason << ": " << error.message;
  }

  void expect_after_power_cut(size_t acknowledged, size_t sent, const std::string& when) {
    const testing::DiskImage image = BreakingDisk::image();
    for (const PowerCut& cut :
         {PowerCut{PowerCut::Keeps::nothing}, PowerCut{PowerCut::Keeps::everything},
          PowerCut{PowerCut::Keeps::some, 1}, PowerCut{PowerCut::Keeps::some, 2}}) {
      const testing::TestDirectory directory(testing::DirectoryPlace::memory);
      testing::lay_down(image.after(cut), directory.path());
      const testing::ManualClock clock;
      const auto store =
          SqliteStore::open(directory.file("drover.db"), clock, testing::with_tours());
      ASSERT_TRUE(store) << when << ", after a power cut: " << store.error().message;
      expect_text(text_of(directory.file("drover.db")), acknowledged, sent,
                  when + ", after a power cut");
    }
  }

  std::string path_;
  std::string when_;
};

// H1: one call of the whole life fails, each in turn.
TEST_P(EveryCall, MayFailWithoutLoss) {
  int n = 1;
  while (live(n) && !HasFailure()) n += testing::kStride;
  EXPECT_GT(n, 30);
}

INSTANTIATE_TEST_SUITE_P(
    Faults, EveryCall,
    ::testing::Combine(::testing::Values(Fault::io_error, Fault::full, Fault::short_write,
                                         Fault::late_full, Fault::lost_sync),
                       ::testing::Values(FaultDuration::once, FaultDuration::until_repaired)),
    [](const auto& info) {
      const bool once = std::get<FaultDuration>(info.param) == FaultDuration::once;
      return std::string(name(std::get<Fault>(info.param))) + (once ? "_once" : "_lasting");
    });

}  // namespace
}  // namespace drover::store
