// Scopes of runs within runs are stored in fewer bytes.
#include "store/sqlite/packed_scope.h"

#include <gtest/gtest.h>

#include "base/id.h"
#include "testing/clock.h"

namespace drover::store::sqlite {
namespace {

// R9: every scope is read back as written; each id of a run takes 20 bytes.
TEST(PackedScope, IsReadBackAsWritten) {
  testing::ManualClock clock{1'800'000'000'000};
  IdMaker ids{clock};
  const std::string id = ids.next().str();
  const std::string first = "run_" + std::string(26, '0'), last = "run_7" + std::string(25, 'z');
  for (const std::string& scope :
       {std::string("default"), std::string("team/reports"), id, "default/" + id,
        "a/" + id + "/b/" + first, "a/" + last + "/" + id + "/c", "a/run_short/" + id + "x"}) {
    EXPECT_EQ(unpacked_scope(packed_scope(scope)), scope);
  }
  for (int i = 0; i < 1'000; ++i) {
    clock.advance_ms(i);
    const std::string scope = "default/" + ids.next().str() + "/" + ids.next().str();
    EXPECT_EQ(unpacked_scope(packed_scope(scope)), scope);
    EXPECT_EQ(packed_scope(scope).size(), 7U + 20 + 20);
  }
}

// A scope that an earlier release has stored has its ids in full.
TEST(PackedScope, AnUnpackedScopeReadsAsItIs) {
  const std::string scope = "default/run_01kb3n5ztg3w1fh0jv2x8d4q7m/own";
  EXPECT_EQ(unpacked_scope(scope), scope);
}

// Damage is reported, not guessed.
TEST(PackedScope, DamageIsReported) {
  EXPECT_FALSE(unpacked_scope("default\x01"));
  EXPECT_FALSE(unpacked_scope("default\x01" + std::string(18, 'x')));
  EXPECT_FALSE(unpacked_scope("default\x01" + std::string(19, '\x7f')));  // Beyond 2^128.
  EXPECT_FALSE(unpacked_scope("default\x01" + std::string(19, '\xff')));
}

}  // namespace
}  // namespace drover::store::sqlite
