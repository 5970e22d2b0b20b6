#include "cli/views/progress_view.h"

#include <gtest/gtest.h>

#include <boost/json/parse.hpp>

namespace drover::cli {
namespace {

boost::json::object object(const char* text) {
  return boost::json::parse(text).get_object();
}

// R12: whatever a run has said, it fits into a line and controls no terminal.
TEST(ProgressView, SaysWhatTheRunSaid) {
  EXPECT_EQ(say_progress({}), "");
  EXPECT_EQ(say_progress(object(R"({"percent":42,"text":"linking"})")), "42% · linking");
  EXPECT_EQ(say_progress(object(R"({"percent":40,"done":4,"total":10})")), "40% · 4 of 10");
  EXPECT_EQ(short_progress(object(R"({"percent":40,"done":4,"total":10,"text":"x"})")), "40% x");
  EXPECT_EQ(short_progress(object(R"({"done":1200})")), "1,200 done");
  EXPECT_EQ(say_progress(object(R"({"text":"a\u001b[2Jb\nc"})")), "a?[2Jb c");
}

TEST(ProgressView, SaysHowMuchWasPrinted) {
  EXPECT_EQ(say_growth({}), "");
  EXPECT_EQ(say_growth(object(R"({"bytes":512,"lines":1})")), "512 B · 1 line");
  EXPECT_EQ(say_growth(object(R"({"bytes":512,"lines":null})")), "512 B");
}

}  // namespace
}  // namespace drover::cli
