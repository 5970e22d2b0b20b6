#include "run/trace.h"

#include <gtest/gtest.h>

namespace drover::run {
namespace {

const std::string kTrace = "4bf92f3577b34da6a3ce929d0e0e4736";

// R15: a well-formed traceparent names its trace, also one of a future version.
TEST(Trace, IsNamedByATraceparent) {
  EXPECT_EQ(trace_named_by("00-" + kTrace + "-00f067aa0ba902b7-01"), kTrace);
  EXPECT_EQ(trace_named_by("00-" + kTrace + "-00f067aa0ba902b7-00"), kTrace);
  EXPECT_EQ(trace_named_by("cc-" + kTrace + "-00f067aa0ba902b7-01-what-comes"), kTrace);
}

// Any other text names none.
TEST(Trace, IsNotNamedByAnythingElse) {
  for (const std::string& text :
       {std::string(), kTrace, "00-" + kTrace, "00-" + kTrace + "-00f067aa0ba902b7-0",
        "00-" + kTrace + "-00f067aa0ba902b7-01-more", "ff-" + kTrace + "-00f067aa0ba902b7-01",
        "00-" + std::string(32, '0') + "-00f067aa0ba902b7-01",
        "00-" + kTrace + "-" + std::string(16, '0') + "-01",
        std::string("00-4BF92F3577B34DA6A3CE929D0E0E4736-00f067aa0ba902b7-01"),
        "00_" + kTrace + "-00f067aa0ba902b7-01", "cc-" + kTrace + "-00f067aa0ba902b7-01.x",
        "00-" + kTrace + "-00f067aa0ba902b7-zz", std::string(55, '\0')}) {
    EXPECT_EQ(trace_named_by(text), std::nullopt) << text;
  }
}

}  // namespace
}  // namespace drover::run
