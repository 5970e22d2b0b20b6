#include "cli/resource_limits.h"

#include <gtest/gtest.h>

#include <boost/json/parse.hpp>

namespace drover::cli {
namespace {

boost::json::object object(std::string_view json) {
  return boost::json::parse(json).get_object();
}

// A run that never started has no measured usage: unknown is not shown as zero.
TEST(Limits, UnknownUsageIsNotZero) {
  EXPECT_EQ(say_usage(object(R"({"state":"failed","cpu_ms":0,"peak_rss_bytes":0})")), "");
  EXPECT_EQ(say_usage(object(R"({"state":"failed","receipt":{}})")), "");
  EXPECT_EQ(say_usage(object(R"({"state":"completed","cpu_ms":0,"peak_rss_bytes":1500})")),
            "cpu 0ms · memory 1.5 kB");
  EXPECT_EQ(say_usage(object(R"({"state":"completed","cpu_ms":40,"peak_rss_bytes":0})")),
            "cpu 40ms");
  EXPECT_EQ(say_usage(object(R"({"state":"running","usage":{"processes":2}})")), "2 processes");
}

}  // namespace
}  // namespace drover::cli
