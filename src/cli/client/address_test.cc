#include "cli/client/address.h"

#include <gtest/gtest.h>

#include "wire/operations/lanes.h"
#include "wire/operations/runs.h"

namespace drover::cli {
namespace {

// Ids, prefixes and @last are sent as they were typed.
TEST(Address, DoesNotEncodeIds) {
  EXPECT_EQ(*address(wire::runs::get, "run_01jc8", {}), "/api/runs/run_01jc8");
  EXPECT_EQ(*address(wire::runs::cancel, "@last", {}), "/api/runs/@last/cancel");
}

// Any other text stays one segment: it cannot reach another path.
TEST(Address, EncodesOtherTextAsOneSegment) {
  EXPECT_EQ(*address(wire::runs::get, "../status", {}), "/api/runs/..%2Fstatus");
  EXPECT_EQ(*address(wire::runs::get, "..", {}), "/api/runs/%2E%2E");
  EXPECT_EQ(*address(wire::runs::get, "a b?c#d%", {}), "/api/runs/a%20b%3Fc%23d%25");
  EXPECT_EQ(*address(wire::lanes::set, "\xC3\xA9", {}), "/api/lanes/%C3%A9");
}

// S1: an empty id is not_found like any unknown id; in the path it would name the list.
TEST(Address, AnEmptyIdIsNotFound) {
  const auto made = address(wire::runs::get, "", {});
  ASSERT_FALSE(made);
  EXPECT_EQ(made.error().code, ErrorCode::not_found);
}

// Query values keep every byte.
TEST(Address, EncodesTheQuery) {
  EXPECT_EQ(*address(wire::runs::list, "", {{"label", "k=a&b"}, {"limit", "3"}}),
            "/api/runs?label=k%3Da%26b&limit=3");
}

}  // namespace
}  // namespace drover::cli
