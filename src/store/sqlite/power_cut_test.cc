// The power may fail at any moment: acknowledged writes are there, writes that were never sent are
// not, and the rest is there completely or not at all.
#include <fmt/format.h>

#include <atomic>

#include "store/sqlite/whole_life_fixture.h"
#include "testing/breaking_disk.h"

namespace drover::store {
namespace {

using testing::BreakingDisk;
using testing::DiskImage;
using testing::PowerCut;

class PowerCutTest : public ::testing::Test {
 protected:
  // The disk at one moment, with the writes that were sent and answered by then.
  struct CutPoint {
    DiskImage image;
    size_t acknowledged = 0;
    size_t sent = 0;
  };

  void SetUp() override {
    BreakingDisk::repair();
    BreakingDisk::begin_image();
  }
  void TearDown() override {
    BreakingDisk::before_each_change(nullptr);
    BreakingDisk::repair();
  }

  // A whole life on this disk, and the moments before each change of a file.
  std::vector<CutPoint> live() {
    std::vector<CutPoint> moments;
    std::atomic<size_t> acknowledged = 0;
    std::atomic<size_t> sent = 0;
    BreakingDisk::before_each_change([&](const DiskImage& image) {
      // In this order: the life continues meanwhile.
      const size_t acknowledged_before = acknowledged;
      moments.push_back({image, acknowledged_before, sent});
    });
    const testing::TestDirectory directory(testing::DirectoryPlace::memory);
    sqlite::Options options = testing::with_tours();
    options.vfs = BreakingDisk::kName;
    options.wal_pages_max = 20;  // A checkpoint every few writes.
    WholeLife life;
    {
      const auto store = must(SqliteStore::open(directory.file("drover.db"), life.clock, options));
      for (size_t i = 0; i < life.steps.size(); ++i) {
        sent = i + 1;
        (void)life.send(*store, i);
        acknowledged = i + 1;
      }
    }
    BreakingDisk::before_each_change(nullptr);
    moments.push_back({BreakingDisk::image(), acknowledged, sent});
    return moments;
  }

  static void expect_after(const CutPoint& moment, const PowerCut& cut, const std::string& when) {
    const testing::TestDirectory directory(testing::DirectoryPlace::memory);
    testing::lay_down(moment.image.after(cut), directory.path());
    const testing::ManualClock clock;
    const auto store = SqliteStore::open(directory.file("drover.db"), clock, testing::with_tours());
    ASSERT_TRUE(store) << when << ": " << store.error().message;
    expect_text(text_of(directory.file("drover.db")), moment.acknowledged, moment.sent, when);
  }
};

// H1: before each change of a file, with nothing, all or any part of the unsynced changes left.
TEST_F(PowerCutTest, LosesNoAcknowledgedWrite) {
  const std::vector<CutPoint> moments = live();
  ASSERT_GT(moments.size(), 100u);
  for (size_t i = 0; i < moments.size() && !HasFailure(); i += testing::kStride) {
    const std::string when = fmt::format("before change {}, ", i + 1);
    expect_after(moments[i], {.keeps = PowerCut::Keeps::nothing}, when + "nothing left");
    expect_after(moments[i], {.keeps = PowerCut::Keeps::everything}, when + "everything left");
    for (std::uint64_t seed = 2 * i; seed < 2 * i + 2; ++seed) {
      expect_after(moments[i], {.keeps = PowerCut::Keeps::some, .number = seed},
                   fmt::format("{}some left, seed {}", when, seed));
    }
  }
}

// A disk that reports syncs without doing them may lose the newest writes, but none from the
// middle, as long as it keeps the order of writes.
TEST_F(PowerCutTest, ALyingDiskLosesOnlyTheNewestWrites) {
  BreakingDisk::lie_about_syncs();
  const std::vector<CutPoint> moments = live();
  const CutPoint last{moments.back().image, 0, moments.back().sent};
  for (std::uint64_t first = 0; first <= last.image.changes() && !HasFailure();
       first += testing::kStride) {
    expect_after(last, {.keeps = PowerCut::Keeps::first, .number = first},
                 fmt::format("the first {} changes left", first));
  }
}

}  // namespace
}  // namespace drover::store
