// Triggers after an older copy of the database was put back, with the real programs.
#include <gtest/gtest.h>

#include "tests/triggers/trigger_fixture.h"

namespace drover::tests {
namespace {

namespace fs = std::filesystem;

// A5: a due time that fired after the backup fires no second run: its new entry names the run that
// it had.
TEST_F(TriggerStory, ADueTimeBeforeARestoreHasOneRun) {
  add("hourly", {"--every", "1h"}, "echo x >> " + flock_.file("runs"));
  flock_.ok({"stop"});
  const std::string copy = flock_.file("copy.db");
  fs::copy_file(flock_.home().database(), copy);
  pass_time(copy, 5'400'000);
  const auto put_back = [&] {
    for (const char* rest : {"", "-wal", "-shm"}) fs::remove(flock_.home().database() + rest);
    fs::copy_file(copy, flock_.home().database());
    flock_.daemon();
  };
  put_back();  // The time has come.
  const auto first = fired("hourly");
  flock_.ended(text_of(first, "run_id"));
  flock_.kill_daemon();
  put_back();
  const auto again = fired("hourly");
  EXPECT_EQ(text_of(again, "slot"), text_of(first, "slot"));
  EXPECT_EQ(text_of(again, "run_id"), text_of(first, "run_id"));
  EXPECT_EQ(entries("hourly").size(), 1U);
  EXPECT_EQ(read(flock_.file("runs")), "x\n");
  flock_.expect_verified();
}

}  // namespace
}  // namespace drover::tests
