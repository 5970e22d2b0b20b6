#include "cli/removed.h"

#include <gtest/gtest.h>

namespace drover::cli {
namespace {

// People read "canceled", whichever spelling the status resource uses.
TEST(Removed, SpellsCanceledWithOneL) {
  const boost::json::object status{{"status", "cancelled"}, {"terminal_reason", nullptr}};
  EXPECT_EQ(say_removed(status), "canceled; its record and output were removed");
  EXPECT_EQ(exit_code_of_removed(status), 130);
}

}  // namespace
}  // namespace drover::cli
