// Stored times follow the tz database and the clock.
#include "triggers/time/time_changes.h"

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "testing/directory.h"
#include "triggers/poll/limits.h"
#include "triggers/room_fixture.h"
#include "triggers/time/zone.h"

namespace drover::triggers {
namespace {

constexpr std::int64_t kHour = 3'600'000;

class TimeChangesTest : public RoomFixture {
 protected:
  TimeChangesTest() {
    ::setenv("TZDIR", directory_.path().c_str(), 1);
    set_offset(0);
  }
  // The zones of the process are the real ones again, for the tests after this one.
  ~TimeChangesTest() override {
    ::unsetenv("TZDIR");
    reread_zones();
  }

  // Africa/Nairobi has one offset, as an update of the database would set it. In minutes, below an
  // hour.
  void set_offset(int minutes) {
    const auto number = [](std::uint32_t value) {
      std::string out;
      for (int shift = 24; shift >= 0; shift -= 8) out += static_cast<char>(value >> shift & 255);
      return out;
    };
    const std::string header = "TZif2" + std::string(15, '\0') + number(0) + number(0) + number(0) +
                               number(0) + number(1) + number(4);
    const std::string type = number(static_cast<std::uint32_t>(minutes * 60)) +
                             std::string(2, '\0') + std::string("ABC\0", 4);
    std::filesystem::create_directories(directory_.path() + "/Africa");
    std::ofstream(directory_.path() + "/Africa/Nairobi", std::ios::binary)
        << header << type << header << type << "\nABC" << (minutes <= 0 ? "" : "-")
        << "0:" << (std::abs(minutes) < 10 ? "0" : "") << std::abs(minutes) << "\n";
  }
  // The next daemon does this first.
  void check_anew() {
    TimeChanges changes(clock_, reads_, recorder());
    ok(run(changes.check()));
  }
  StoredTrigger hourly() {
    reread_zones();
    return add("hourly", R"({"type": "cron", "cron": "30 * * * *", "tz": "Africa/Nairobi"})");
  }

  testing::TestDirectory directory_;
};

// A due time that an update moves to an earlier time is not lost: the trigger stands at the first
// one after the newest in its ledger.
TEST_F(TimeChangesTest, AnUpdateMovesADueTime) {
  const WallMs before = *hourly().next_due;
  set_offset(20);  // 30 past is now 10 past, of UTC.
  check_anew();
  EXPECT_EQ(stored("hourly").next_due, before - 20 * 60'000);
  EXPECT_EQ(stored("hourly").wake_at, before - 20 * 60'000);
  const WallMs moved = *stored("hourly").next_due;
  check_anew();
  EXPECT_EQ(stored("hourly").next_due, moved);
}

// Entries of the ledger are not repeated, and a running daemon sees the update within an hour.
TEST_F(TimeChangesTest, ARunningDaemonFollows) {
  const WallMs due_time = *hourly().next_due;
  TimeChanges changes(clock_, reads_, recorder());
  ok(run(changes.check()));
  must(store::write_to(
      store_, store::Work([due_time](store::Transaction& t) -> Result<> {
        if (auto ok = set_next(t, "hourly", due_time + kHour, due_time + kHour); !ok) {
          return ok;
        }
        return add_occurrence(t, "hourly", {.key = due_time_key(due_time), .due_at = due_time});
      })));
  set_offset(20);
  ok(run(changes.check()));
  EXPECT_EQ(stored("hourly").next_due, due_time + kHour);
  clock_.set_wall(changes.next_check_at());
  ok(run(changes.check()));
  EXPECT_EQ(stored("hourly").next_due, due_time + kHour - 20 * 60'000);
}

// A database that does not change, or is being replaced, changes nothing.
TEST_F(TimeChangesTest, AMissingFileChangesNothing) {
  const WallMs before = *hourly().next_due;
  std::filesystem::remove(directory_.path() + "/Africa/Nairobi");
  writes = 0;
  check_anew();
  EXPECT_EQ(stored("hourly").next_due, before);
  EXPECT_EQ(writes, 0);
}

// A clock that is set back by a year silences a feed for at most a day.
TEST_F(TimeChangesTest, AClockSetBackHastensPolls) {
  add("news", R"({"type": "feed", "url": "https://example.com/feed"})");
  TimeChanges changes(clock_, reads_, recorder());
  ok(run(changes.check()));
  const WallMs early = kAdded - 365 * 24 * kHour;
  clock_.set_wall(early);
  ok(run(changes.check()));
  EXPECT_LE(*stored("news").wake_at, early + kServerPauseMaxMs + kPollJitterMaxMs);
}

}  // namespace
}  // namespace drover::triggers
