#include "cli/address.h"

#include <gtest/gtest.h>

namespace drover::cli {
namespace {

using wire::Op;
using wire::operation;

// Ids, prefixes and @last reach the daemon as they were typed.
TEST(Address, LeavesIdsAlone) {
  EXPECT_EQ(*address(operation(Op::runs_get), "run_01jc8", {}), "/api/runs/run_01jc8");
  EXPECT_EQ(*address(operation(Op::runs_cancel), "@last", {}), "/api/runs/@last/cancel");
}

// Whatever else is typed stays one segment: it cannot reach another path.
TEST(Address, EncodesWhatIsNoSegment) {
  EXPECT_EQ(*address(operation(Op::runs_get), "../status", {}), "/api/runs/..%2Fstatus");
  EXPECT_EQ(*address(operation(Op::runs_get), "..", {}), "/api/runs/%2E%2E");
  EXPECT_EQ(*address(operation(Op::runs_get), "a b?c#d%", {}), "/api/runs/a%20b%3Fc%23d%25");
  EXPECT_EQ(*address(operation(Op::lanes_set), "\xC3\xA9", {}), "/api/lanes/%C3%A9");
}

// S1: an id that is not there is not_found, however it looks; an empty one would name the list.
TEST(Address, AnEmptyIdIsNotFound) {
  const auto made = address(operation(Op::runs_get), "", {});
  ASSERT_FALSE(made);
  EXPECT_EQ(made.error().code, ErrorCode::not_found);
}

// Values of the query keep every byte.
TEST(Address, EncodesTheQuery) {
  EXPECT_EQ(*address(operation(Op::runs_list), "", {{"label", "k=a&b"}, {"limit", "3"}}),
            "/api/runs?label=k%3Da%26b&limit=3");
}

}  // namespace
}  // namespace drover::cli
