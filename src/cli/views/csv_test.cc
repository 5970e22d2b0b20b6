#include "cli/views/csv.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <boost/json/parse.hpp>

namespace drover::cli {
namespace {

// S1: any text stays one cell.
TEST(Csv, AnyTextStaysOneCell) {
  EXPECT_EQ(csv_cell("plain"), "plain");
  EXPECT_EQ(csv_cell("a,b"), "\"a,b\"");
  EXPECT_EQ(csv_cell("say \"x\"\n"), "\"say \"\"x\"\"\n\"");
}

// S1: no text of a run controls the terminal that shows the table.
TEST(Csv, NoTextControlsATerminal) {
  EXPECT_EQ(csv_cell("a\x1b[2J\x07\xC2\x9B"
                     "b\x7f"),
            "a?[2J??b?");
  EXPECT_EQ(csv_cell("one\ntwo\x1b"), "\"one\ntwo?\"");
}

// S1: no text of a run is a formula for a spreadsheet; numbers stay numbers.
TEST(Csv, NoTextIsAFormula) {
  EXPECT_EQ(csv_cell("=1+1"), "'=1+1");
  EXPECT_EQ(csv_cell("=cmd|'/c calc'!A1,"), "\"'=cmd|'/c calc'!A1,\"");
  for (const char* text : {"+1", "-1", "@sum(a)"})
    EXPECT_EQ(csv_cell(text), std::string("'") + text);
  EXPECT_EQ(csv_cell("\t=1"), "' =1");
  EXPECT_EQ(csv_cell("\r=1"), "' =1");
  EXPECT_EQ(csv_cell("a=1"), "a=1");
  const auto run = boost::json::parse(R"({"run_id":"run_1","exit_code":-1,"name":"=x"})");
  EXPECT_TRUE(csv_line(run.as_object()).starts_with("run_1,'=x,,,,,-1,"));
}

// S1: a line has a cell for every column; unknown values are empty, never 0.
TEST(Csv, ALineHasACellForEveryColumn) {
  const auto run = boost::json::parse(
      R"({"run_id":"run_1","command":["echo","a b"],"exit_code":0,"signal":null,"labels":{"k":"v"}})");
  const std::string line = csv_line(run.as_object());
  EXPECT_TRUE(line.starts_with("run_1,,echo 'a b',,,,0,,,,k=v,")) << line;
  const std::string head = csv_head();
  EXPECT_EQ(std::ranges::count(line, ','), std::ranges::count(head, ','));
}

// A counter that nobody counted is an empty cell; a counted 0 stays 0.
TEST(Csv, AnUncountedCounterIsEmpty) {
  const auto ends_with = [](const char* record) {
    const std::string line = csv_line(boost::json::parse(record).as_object());
    return line.substr(line.size() - std::min<size_t>(line.size(), 10));
  };
  EXPECT_EQ(ends_with(R"({"state":"running","cpu_ms":0,"peak_rss_bytes":0,"stdout_bytes":0,)"
                      R"("stderr_bytes":0,"message":"m","trace_id":"t"})"),
            ",,,,,m,t\r\n");
  EXPECT_EQ(ends_with(R"({"state":"abandoned","reason":"keeper_lost","cpu_ms":0,)"
                      R"("peak_rss_bytes":0,"stdout_bytes":0,"stderr_bytes":0,"trace_id":"t"})"),
            ",,,,,,,t\r\n");
  EXPECT_EQ(ends_with(R"({"state":"completed","reason":"exit_zero","cpu_ms":0,)"
                      R"("peak_rss_bytes":9,"stdout_bytes":0,"stderr_bytes":0,"trace_id":"t"})"),
            "9,0,0,,t\r\n");
}

}  // namespace
}  // namespace drover::cli
