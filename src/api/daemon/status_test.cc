#include "api/daemon/status.h"

#include <unistd.h>

#include "api/door_fixture.h"

namespace drover::api {
namespace {

using DaemonStatus = Door;

// The daemon reports its status, and stops only after it has answered.
TEST_F(DaemonStatus, IsReportedAndTheDaemonStopsAfterItsAnswer) {
  const auto status = ask("GET", "/api/status").json().as_object();
  EXPECT_EQ(status.at("pid"), ::getpid());
  EXPECT_EQ(status.at("socket"), text(home_.socket()));
  EXPECT_EQ(status.at("home").at("state"), text(home_.state));
  EXPECT_EQ(status.at("store").at("path"), text(home_.database()));
  EXPECT_EQ(status.at("runs_active"), 3);
  EXPECT_EQ(status.at("runs_queued"), 2);
  EXPECT_TRUE(status.at("url").is_null());
  EXPECT_FALSE(status.at("version").as_string().empty());
  expect_error(ask("POST", "/api/stop", R"({"kill":1})"), 400, "invalid_value", "kill");
  EXPECT_EQ(on_loop([&] { return stopped_; }), std::nullopt);
  EXPECT_EQ(ask("POST", "/api/stop", R"({"kill":true})").status, 202U);
  eventually([&] { return stopped_.has_value(); });
  EXPECT_TRUE(*stopped_);
}

}  // namespace
}  // namespace drover::api
