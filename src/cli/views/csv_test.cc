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

// S1: a line has a cell for every column; unknown values are empty, never 0.
TEST(Csv, ALineHasACellForEveryColumn) {
  const auto run = boost::json::parse(
      R"({"run_id":"run_1","command":["echo","a b"],"exit_code":0,"signal":null,"labels":{"k":"v"}})");
  const std::string line = csv_line(run.as_object());
  EXPECT_TRUE(line.starts_with("run_1,,echo 'a b',,,,0,,,,k=v,")) << line;
  const std::string head = csv_head();
  EXPECT_EQ(std::ranges::count(line, ','), std::ranges::count(head, ','));
}

}  // namespace
}  // namespace drover::cli
