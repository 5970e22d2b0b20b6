// The log of a play whose output is not kept completely (R11, P9).
#include <boost/json/parse.hpp>
#include <filesystem>

#include "tests/play/game.h"

namespace drover::tests {
namespace {

class GappedGame : public Game {};

// P9, R11: lost output of a step is an entry of the log with its exact bounds, as JSON and as an
// event, between the entries of its neighbors.
TEST_F(GappedGame, TheLogNamesTheGap) {
  write_project(step("build", "mkdir -p build; echo one; echo two") + step("pack", "echo packing"));
  write_runtime("exit 0");
  add();
  ASSERT_EQ(play().status, 202);
  const auto end = until_rest();
  const std::string build = text_of(end.at("runs").as_object(), "build");
  const auto id = RunId::parse(build);
  ASSERT_TRUE(id.has_value()) << build;
  std::filesystem::resize_file(flock_.home().run_directory(*id) + "/output", 4);
  EXPECT_EQ(log().at(0), "build│one");
  EXPECT_EQ(log().at(1), "build│… 4 bytes not kept …");
  for (const char* query : {"", "?follow=true"}) {
    const std::string said = flock_.http("GET /api/projects/game/log" + std::string(query) +
                                         " HTTP/1.1\r\nHost: d\r\nConnection: close\r\n\r\n");
    EXPECT_NE(said.find(R"("text":"… 4 bytes not kept …","gap":{"from":4,"to":8}})"),
              std::string::npos)
        << said;
  }
}

}  // namespace
}  // namespace drover::tests
