#include "api/runs/lanes.h"

#include "api/door_fixture.h"

namespace drover::api {
namespace {

using LaneRoutes = Door;

// R16: the limits of lanes change at run time, within bounds.
TEST_F(LaneRoutes, ShowAndSetLanes) {
  EXPECT_EQ(ask("PUT", "/api/lanes/build", R"({"limit":4})").json().at("limit"), 4);
  bool found = false;
  const auto lanes = ask("GET", "/api/lanes").json();
  for (const auto& lane : lanes.at("lanes").as_array()) {
    found |= lane.at("name") == "build" && lane.at("limit") == 4 && lane.at("queued") == 0;
  }
  EXPECT_TRUE(found);
  for (const char* body :
       {"{}", R"({"limit":0})", R"({"limit":"4"})", R"({"limit":100001})", R"({"limit":1.5})"}) {
    expect_error(ask("PUT", "/api/lanes/build", body), 400, "invalid_value", "limit");
  }
  expect_error(ask("PUT", "/api/lanes/a%20b", R"({"limit":1})"), 400, "invalid_value", "lane");
}

}  // namespace
}  // namespace drover::api
