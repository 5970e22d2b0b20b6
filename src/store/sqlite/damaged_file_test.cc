// A database file with changed bytes may be refused, or answer wrongly where the change makes
// sense; but every call returns, and none ends the daemon.
#include <fmt/format.h>

#include <filesystem>
#include <fstream>
#include <random>
#include <set>

#include "store/sqlite/whole_life_fixture.h"

namespace drover::store {
namespace {

class DamagedFile : public ::testing::Test {
 protected:
  void SetUp() override {
    WholeLife life;
    {
      auto store = must(SqliteStore::open(path_, life.clock, testing::with_tours()));
      for (size_t i = 0; i + 4 < life.steps.size(); ++i) (void)life.send(*store, i);
    }
    std::ifstream in(path_, std::ios::binary);
    sound_ = {std::istreambuf_iterator<char>(in), {}};
  }

  // Makes every read and write. Returns the errors.
  std::set<std::string> use() {
    std::set<std::string> reasons;
    const auto note = [&](const auto& answer) {
      if (answer) return;
      EXPECT_FALSE(answer.error().message.empty());
      reasons.insert(answer.error().reason);
      if (answer.error().reason == "database_error") said_ += answer.error().message + "\n";
    };
    WholeLife life;
    const auto store = SqliteStore::open(path_, life.clock, testing::with_tours());
    note(store);
    if (!store) return reasons;
    note((*store)->list({}));
    note((*store)->list({.labels = {{"lane", "solo"}}}));
    note((*store)->events({}));
    note((*store)->lanes());
    note((*store)->crowded_scopes(1));
    for (size_t i = 0; i < life.steps.size(); ++i) note(life.send(**store, i));
    return reasons;
  }

  const testing::TestDirectory directory_{testing::DirectoryPlace::memory};
  const std::string path_ = directory_.file("drover.db");
  std::string sound_;
  std::string said_;  // Errors that were taken for temporary ones.
};

// One byte in each page header, and others.
TEST_F(DamagedFile, IsNeverMoreThanAnError) {
  std::mt19937 random(4);
  std::set<size_t> places;
  for (size_t page = 0; page < sound_.size(); page += 4096) {
    for (const size_t at : {0u, 3u, 5u, 7u, 8u, 9u, 10u, 11u}) places.insert(page + at);
  }
  while (places.size() < 900) places.insert(random() % sound_.size());
  std::map<std::string, int> seen;
  for (const size_t place : places) {
    std::string damaged = sound_;
    damaged[place] = static_cast<char>(damaged[place] ^ (1 << (random() % 8)));
    std::filesystem::remove(path_ + "-wal");
    std::filesystem::remove(path_ + "-shm");
    std::ofstream(path_, std::ios::binary) << damaged;
    for (const std::string& reason : use()) ++seen[reason];
  }
  // Detected damage is not taken for a temporary error.
  EXPECT_GT(seen["database_corrupt"], 100);
  EXPECT_EQ(seen["database_error"], 0) << said_;
}

}  // namespace
}  // namespace drover::store
