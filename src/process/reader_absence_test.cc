#include "process/reader_absence.h"

#include <gtest/gtest.h>

namespace drover::process {
namespace {

constexpr std::int64_t kAwayNs = limits::kReaderAwayMs * 1'000'000;

// R11: a command waits for a reader that is away for the stated time, and no longer.
TEST(ReaderAbsence, IsFinalAfterTheStatedTime) {
  ReaderAbsence absence;
  EXPECT_FALSE(absence.is_final(kAwayNs * 9));  // Nobody has looked.
  absence.look(false, 100);
  absence.look(false, 100 + kAwayNs / 2);  // The first look counts.
  EXPECT_FALSE(absence.is_final(100 + kAwayNs - 1));
  EXPECT_TRUE(absence.is_final(100 + kAwayNs));
}

// R11: a reader that connects again, through the next daemon, has the whole time once more.
TEST(ReaderAbsence, BeginsAgainAfterTheReader) {
  ReaderAbsence absence;
  absence.look(false, 100);
  absence.look(true, 100 + kAwayNs - 1);
  EXPECT_FALSE(absence.is_final(100 + kAwayNs));
  absence.look(false, 200 + kAwayNs);
  EXPECT_FALSE(absence.is_final(199 + 2 * kAwayNs));
  EXPECT_TRUE(absence.is_final(200 + 2 * kAwayNs));
}

}  // namespace
}  // namespace drover::process
