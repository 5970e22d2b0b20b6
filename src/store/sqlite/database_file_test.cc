#include "store/sqlite/database_file.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "testing/directory.h"

namespace drover::store::sqlite {
namespace {

namespace fs = std::filesystem;

class DatabaseFiles : public ::testing::Test {
 protected:
  DatabaseFiles() { write(path); }
  static void write(const std::string& file) { std::ofstream(file) << "x"; }
  static std::string trouble(const DatabaseFile& file) {
    const auto there = file.check();
    return there ? "" : there.error().reason + ": " + there.error().message;
  }

  testing::TestDirectory directory;
  const std::string path = directory.file("drover.db");
};

// A database that is removed, or replaced by another file, is noticed.
TEST_F(DatabaseFiles, AreMissed) {
  const DatabaseFile file(path);
  EXPECT_EQ(trouble(file), "");
  write(path + ".other");
  fs::rename(path + ".other", path);
  EXPECT_TRUE(trouble(file).contains("was replaced")) << trouble(file);
  fs::remove(path);
  EXPECT_TRUE(trouble(file).starts_with("database_gone: " + path + " was removed"));
}

// So is a WAL that has existed; before its first use there is none.
TEST_F(DatabaseFiles, AreMissedWithTheirWal) {
  const DatabaseFile file(path);
  EXPECT_EQ(trouble(file), "");
  write(path + "-wal");
  EXPECT_EQ(trouble(file), "");
  fs::remove(path + "-wal");
  EXPECT_TRUE(trouble(file).contains("-wal was removed")) << trouble(file);
}

// With a VFS of its own the store has no file to look at.
TEST_F(DatabaseFiles, MayBeElsewhere) {
  EXPECT_EQ(trouble(DatabaseFile("")), "");
}

}  // namespace
}  // namespace drover::store::sqlite
