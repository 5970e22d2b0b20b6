#include "store/sqlite/generation.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "store/sqlite/sqlite_store.h"
#include "store/store_contract.h"
#include "testing/clock.h"
#include "testing/directory.h"

namespace drover::store::sqlite {
namespace {

namespace fs = std::filesystem;

class GenerationTest : public ::testing::Test {
 protected:
  std::unique_ptr<SqliteStore> open() {
    return must(SqliteStore::open(database_, clock_, {.generation = file_}));
  }
  static void add(Store& store, int count) {
    for (int i = 0; i < count; ++i) {
      must(write_to(store, Work([](Transaction& t) {
                      return t.append({.subject = "bell/x", .type = "bell.rung"});
                    })));
    }
  }
  static std::vector<std::string> types(Store& store) {
    std::vector<std::string> out;
    for (const run::Event& event : must(store.events({.limit = 1'000}))) {
      out.push_back(std::to_string(event.seq) + " " + event.type);
    }
    return out;
  }

  testing::ManualClock clock_;
  testing::TestDirectory directory_{testing::DirectoryPlace::memory};
  const std::string database_ = directory_.file("drover.db");
  const std::string copy_ = directory_.file("copy.db");
  const std::string file_ = directory_.file("generation");
};

// The file is private, keeps the highest number, and a torn one says nothing.
TEST_F(GenerationTest, KeepsTheHighestNumber) {
  Generation(file_).note(7);
  Generation(file_).note(5);
  EXPECT_EQ(Generation(file_).known_seq(), 7);
  struct stat st{};
  ASSERT_EQ(::stat(file_.c_str(), &st), 0);
  EXPECT_EQ(st.st_mode & 0777U, 0600U);
  for (off_t size = 23; size >= 0; --size) {
    ASSERT_EQ(::truncate(file_.c_str(), size), 0);
    EXPECT_EQ(Generation(file_).known_seq(), 0) << size;
  }
  std::ofstream(file_) << std::string(24, 'x');
  EXPECT_EQ(Generation(file_).known_seq(), 0);
}

// An ordinary start is not a restore, however often, and its cursors stay valid.
TEST_F(GenerationTest, IsQuietWithoutARestore) {
  std::string epoch;
  for (int start = 0; start < 3; ++start) {
    const auto store = open();
    if (start == 0) add(*store, 2);
    if (start == 0) epoch = store->epochs().of(2);
    EXPECT_EQ(store->epochs().of(2), epoch);
    EXPECT_TRUE(store->epochs().judge({.seq = 2, .epoch = epoch}, 2).valid);
    EXPECT_EQ(types(*store), (std::vector<std::string>{"1 bell.rung", "2 bell.rung"}));
  }
  ::unlink(file_.c_str());
  EXPECT_EQ(types(*open()).size(), 2U) << "a missing file is no alarm";
}

// After a restore the event says so, and no number is given twice. It is noticed once.
TEST_F(GenerationTest, NoticesAnOlderDatabase) {
  {
    add(*open(), 2);
  }
  fs::copy_file(database_, copy_);
  std::string lost;
  {
    const auto store = open();
    add(*store, 3);
    lost = store->epochs().of(5);
  }
  fs::copy_file(copy_, database_, fs::copy_options::overwrite_existing);
  for (int start = 0; start < 2; ++start) {
    const auto store = open();
    EXPECT_EQ(types(*store),
              (std::vector<std::string>{"1 bell.rung", "2 bell.rung", "6 store.restored"}));
    const PositionVerdict verdict = store->epochs().judge({.seq = 4, .epoch = lost}, 6);
    EXPECT_FALSE(verdict.valid);
    EXPECT_EQ(verdict.resume_at, 2);
  }
  const auto store = open();
  add(*store, 1);
  EXPECT_EQ(types(*store).back(), "7 bell.rung");
}

// Without the file a restore is not noticed, but cursors of the lost part are.
TEST_F(GenerationTest, EpochsDetectALostPartByThemselves) {
  {
    add(*open(), 2);
  }
  fs::copy_file(database_, copy_);
  std::string lost;
  {
    const auto store = open();
    add(*store, 3);
    lost = store->epochs().of(5);
  }
  fs::copy_file(copy_, database_, fs::copy_options::overwrite_existing);
  ::unlink(file_.c_str());
  const auto store = open();
  add(*store, 5);
  EXPECT_FALSE(store->epochs().judge({.seq = 4, .epoch = lost}, 7).valid);
}

}  // namespace
}  // namespace drover::store::sqlite
