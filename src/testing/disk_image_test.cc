// The model of a disk that the power-cut tests use.
#include "testing/disk_image.h"

#include <gtest/gtest.h>

#include <set>

namespace drover::testing {
namespace {

using Keeps = PowerCut::Keeps;

std::string content(const DiskImage& image, const std::string& path, PowerCut cut) {
  const auto files = image.after(cut);
  const auto file = files.find(path);
  return file == files.end() ? "(none)" : file->second;
}

// Synced bytes are always there; later writes may be.
TEST(DiskImageTest, KeepsSyncedBytes) {
  DiskImage image;
  image.open("/no/a");
  image.write("/no/a", 0, "one");
  image.sync("/no/a");
  image.write("/no/a", 3, "two");
  EXPECT_EQ(content(image, "/no/a", {Keeps::nothing}), "one");
  EXPECT_EQ(content(image, "/no/a", {Keeps::everything}), "onetwo");
  image.truncate("/no/a", 1);
  EXPECT_EQ(content(image, "/no/a", {Keeps::everything}), "o");
  EXPECT_EQ(content(image, "/no/a", {Keeps::nothing}), "one");
}

// Of two writes since the last sync any part may survive, in any order.
TEST(DiskImageTest, KeepsAnyPartOfUnsyncedWrites) {
  DiskImage image;
  image.open("/no/a");
  image.write("/no/a", 0, "..");
  image.sync("/no/a");
  image.write("/no/a", 0, "1");
  image.write("/no/a", 1, "2");
  std::set<std::string> seen;
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    seen.insert(content(image, "/no/a", {Keeps::some, seed}));
  }
  EXPECT_EQ(seen, (std::set<std::string>{"..", "1.", ".2", "12"}));
  EXPECT_EQ(content(image, "/no/a", {Keeps::first, image.changes() - 1}), "1.");
}

// A removed file may come back, until a new file was synced with the directory.
TEST(DiskImageTest, BringsBackARemovedFile) {
  DiskImage image;
  image.open("/no/a");
  image.write("/no/a", 0, "old");
  image.sync("/no/a");
  image.remove("/no/a");
  EXPECT_EQ(content(image, "/no/a", {Keeps::nothing}), "old");
  EXPECT_EQ(content(image, "/no/a", {Keeps::everything}), "(none)");
  image.open("/no/b");
  image.write("/no/b", 0, "b");
  image.sync("/no/b");
  EXPECT_EQ(content(image, "/no/a", {Keeps::nothing}), "(none)");
}

// Bytes lost in a failed sync are not saved by a later one; if they are written again they are.
TEST(DiskImageTest, LosesTheBytesOfAFailedSyncForGood) {
  DiskImage image;
  image.open("/no/a");
  image.write("/no/a", 0, "one");
  image.sync("/no/a");
  image.write("/no/a", 0, "two");
  image.lose("/no/a");
  image.sync("/no/a");
  EXPECT_EQ(content(image, "/no/a", {Keeps::everything}), "one");
  image.write("/no/a", 0, "two");
  image.sync("/no/a");
  EXPECT_EQ(content(image, "/no/a", {Keeps::nothing}), "two");
}

}  // namespace
}  // namespace drover::testing
