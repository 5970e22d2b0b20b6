#include "store/epochs.h"

#include <gtest/gtest.h>

namespace drover::store {
namespace {

// Two daemons, an older database restored at 100 while 500 was the last number, one more daemon.
const Epochs kLog({{.name = "aa", .first_seq = 10, .follows = 9},
                   {.name = "bb", .first_seq = 81, .follows = 80},
                   {.name = "cc", .first_seq = 501, .follows = 100},
                   {.name = "dd", .first_seq = 511, .follows = 510}});
constexpr std::int64_t kLast = 520;

void expect(std::int64_t seq, std::string_view epoch, bool valid, std::int64_t resume_at) {
  const PositionVerdict verdict = kLog.judge({.seq = seq, .epoch = epoch}, kLast);
  EXPECT_EQ(verdict.valid, valid) << seq << " " << epoch;
  EXPECT_EQ(verdict.resume_at, resume_at) << seq << " " << epoch;
}

// An event belongs to the daemon that wrote it, not to the one that reads it later.
TEST(Epochs, AreOfTheEventsThatTheyGaveNumbersTo) {
  EXPECT_EQ(kLog.of(9), "");
  EXPECT_EQ(kLog.of(10), "aa");
  EXPECT_EQ(kLog.of(100), "bb");
  EXPECT_EQ(kLog.of(501), "cc");
  EXPECT_EQ(kLog.of(600), "dd");
  EXPECT_EQ(Epochs().of(1), "");
}

// A position is valid if this log has that event, or had it.
TEST(Epochs, AcceptPositionsOfThisLog) {
  expect(50, "aa", true, 50);
  expect(80, "aa", true, 80);
  expect(100, "bb", true, 100);
  expect(510, "cc", true, 510);
  expect(520, "dd", true, 520);
  expect(7, "", true, 7);  // Typed by a person, or older than epochs.
  expect(300, "", true, 300);
}

// A position in the lost part, of a known or of a lost epoch, resumes where the logs part.
TEST(Epochs, DetectPositionsOfALostPart) {
  expect(101, "bb", false, 100);
  expect(500, "bb", false, 100);
  expect(300, "zz", false, 100);
  expect(515, "zz", false, 100);  // Its number was given again.
  expect(40, "zz", false, 40);
  expect(521, "dd", false, 520);
  expect(521, "", false, 520);
}

// Without a known restore nothing is known to be shared with a foreign log.
TEST(Epochs, ShareNothingWithAForeignLog) {
  const Epochs log({{.name = "aa", .first_seq = 1, .follows = 0}});
  const PositionVerdict verdict = log.judge({.seq = 5, .epoch = "zz"}, 10);
  EXPECT_FALSE(verdict.valid);
  EXPECT_EQ(verdict.resume_at, 0);
}

// Positions of epochs that are no longer kept stay valid.
TEST(Epochs, AcceptWhatIsOlderThanTheFirstOneKept) {
  const Epochs log({{.name = "mm", .first_seq = 1'000, .follows = 999}}, true);
  EXPECT_TRUE(log.judge({.seq = 999, .epoch = "aa"}, 2'000).valid);
  EXPECT_FALSE(log.judge({.seq = 1'000, .epoch = "aa"}, 2'000).valid);
}

}  // namespace
}  // namespace drover::store
