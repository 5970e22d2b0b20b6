// The power may go out at any moment: what was acknowledged is there, what nobody asked for is not,
// and the rest is there whole or not at all.
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
  // What the disk was like at one moment, and what the store had been asked and had answered.
  struct CutPoint {
    DiskImage image;
    size_t heard = 0;
    size_t begun = 0;
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
    std::atomic<size_t> heard = 0;
    std::atomic<size_t> begun = 0;
    BreakingDisk::before_each_change([&](const DiskImage& image) {
      const size_t heard_before = heard;  // In this order: the life goes on meanwhile.
      moments.push_back({image, heard_before, begun});
    });
    const testing::TestDirectory directory(testing::DirectoryPlace::memory);
    sqlite::Options options = testing::with_tours();
    options.vfs = BreakingDisk::kName;
    options.log_pages_max = 20;  // A checkpoint every few writes.
    WholeLife life;
    {
      const auto store = must(SqliteStore::open(directory.file("drover.db"), life.clock, options));
      for (size_t i = 0; i < life.steps.size(); ++i) {
        begun = i + 1;
        (void)life.tell(*store, i);
        heard = i + 1;
      }
    }
    BreakingDisk::before_each_change(nullptr);
    moments.push_back({BreakingDisk::image(), heard, begun});
    return moments;
  }

  static void expect_after(const CutPoint& moment, const PowerCut& cut, const std::string& when) {
    const testing::TestDirectory directory(testing::DirectoryPlace::memory);
    testing::lay_down(moment.image.after(cut), directory.path());
    const testing::ManualClock clock;
    const auto store = SqliteStore::open(directory.file("drover.db"), clock, testing::with_tours());
    ASSERT_TRUE(store) << when << ": " << store.error().message;
    expect_text(text_of(directory.file("drover.db")), moment.heard, moment.begun, when);
  }
};

// H1: before each change of a file, with nothing, all or any part of what was not synced left.
TEST_F(PowerCutTest, TakesNothingThatWasAcknowledged) {
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

// A disk that says it has synced and has not takes the newest along, but nothing out of the middle,
// as long as it keeps the order of what it is given.
TEST_F(PowerCutTest, OfADiskThatLiesLeavesAWholeBeginning) {
  BreakingDisk::lie_about_syncs();
  const std::vector<CutPoint> moments = live();
  const CutPoint last{moments.back().image, 0, moments.back().begun};
  for (std::uint64_t first = 0; first <= last.image.changes() && !HasFailure();
       first += testing::kStride) {
    expect_after(last, {.keeps = PowerCut::Keeps::first, .number = first},
                 fmt::format("the first {} changes left", first));
  }
}

}  // namespace
}  // namespace drover::store
