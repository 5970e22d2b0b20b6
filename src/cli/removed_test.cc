#include "cli/removed.h"

#include <gtest/gtest.h>

#include <boost/json/parse.hpp>

namespace drover::cli {
namespace {

// People read "canceled", whichever spelling the status resource uses.
TEST(Removed, SpellsCanceledWithOneL) {
  const boost::json::object status{{"status", "cancelled"}, {"terminal_reason", nullptr}};
  EXPECT_EQ(say_removed(status), "canceled; its record and output were removed");
  EXPECT_EQ(exit_code_of_removed(status), 130);
}

// S1: `wait` exits with the run's own code although its record is gone.
TEST(Removed, HasItsOwnExitCode) {
  const auto code = [](const char* end) {
    return exit_code_of_removed({{"status", "failed"}, {"end", boost::json::parse(end)}});
  };
  EXPECT_EQ(code(R"({"state":"failed","reason":"exit_nonzero","exit_code":7,"signal":null})"), 7);
  EXPECT_EQ(code(R"({"state":"failed","reason":"signaled","exit_code":null,"signal":11})"), 139);
  EXPECT_EQ(code(R"({"state":"timed_out","reason":"timeout","exit_code":null})"), 124);
  EXPECT_EQ(code(R"({"state":"failed","launch_step":"exec","launch_error":"ENOENT"})"), 127);
  EXPECT_EQ(exit_code_of_removed({{"status", "failed"}}), 125);
}

}  // namespace
}  // namespace drover::cli
