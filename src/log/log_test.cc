#include "log/log.h"

#include <gtest/gtest.h>

#include <boost/json/parse.hpp>

namespace drover::log {
namespace {

// H6: a JSON line has the run and its trace as fields, and is one line whatever it quotes; a text
// line begins with the run.
TEST(Log, HasAJsonFormAndATextForm) {
  const RunId id = *RunId::parse("run_01hf7yat00000000000000000z");
  const About about(id, "4bf92f3577b34da6a3ce929d0e0e4736");
  const std::string line =
      line_of(Form::json, Level::warn, about, "no \"program\"\n\xff here", 1'700'000'000'123);
  EXPECT_EQ(line.find('\n'), std::string::npos);
  const auto told = boost::json::parse(line);
  EXPECT_EQ(told.at("time"), "2023-11-14T22:13:20.123Z");
  EXPECT_EQ(told.at("level"), "warn");
  EXPECT_EQ(told.at("run_id"), "run_01hf7yat00000000000000000z");
  EXPECT_EQ(told.at("trace_id"), "4bf92f3577b34da6a3ce929d0e0e4736");
  EXPECT_EQ(told.at("message"), "no \"program\"\n\xEF\xBF\xBD here");
  EXPECT_EQ(line_of(Form::text, Level::warn, about, "gone", 0),
            "run_01hf7yat00000000000000000z: gone");
  const auto nobody = boost::json::parse(line_of(Form::json, Level::info, {}, "ready", 0));
  EXPECT_FALSE(nobody.as_object().contains("run_id"));
}

// A quotation in a text line cannot pass for another line, nor control the terminal.
TEST(Log, QuotesHarmlessly) {
  EXPECT_EQ(line_of(Form::text, Level::warn, {}, "a\n2026 E b\r\x1b[2Jc\x7f\xC2\x9B\xC3\xA9", 0),
            "a\n    2026 E b??[2Jc??\xC3\xA9");
}

}  // namespace
}  // namespace drover::log
