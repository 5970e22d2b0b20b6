#include "api/daemon/health.h"

#include "api/door_fixture.h"

namespace drover::api {
namespace {

using DaemonHealth = Door;

// The health checks report that the daemon is alive and ready.
TEST_F(DaemonHealth, ReportsThatTheDaemonIsAliveAndReady) {
  EXPECT_EQ(ask("GET", "/healthz").json().at("status"), "ok");
  EXPECT_EQ(ask("GET", "/readyz").json().at("status"), "ready");
  EXPECT_EQ(ask("POST", "/api/probe", "{}").json().at("took_ms"), 12);
}

// A daemon in which no run can start and end says which step fails.
TEST_F(DaemonHealth, NamesTheStepThatFails) {
  on_loop([&] {
    dispatcher_.not_ready = Error{.code = ErrorCode::unavailable,
                                  .reason = "not_ready_launch",
                                  .message = "no keeper",
                                  .param = {}};
    return true;
  });
  expect_error(ask("GET", "/readyz"), 503, "not_ready_launch", "");
  expect_error(ask("POST", "/api/probe", "{}"), 503, "not_ready_launch", "");
}

// A stranger learns the step, but not the paths that the message names.
TEST_F(DaemonHealth, TellsStrangersNoPaths) {
  std::uint16_t port = 0;
  on_loop([&] {
    config::ListenAddress address;
    address.port = 0;
    EXPECT_TRUE(server_->listen_tcp(address));
    const std::string& url = server_->services().tcp_url;
    port = static_cast<std::uint16_t>(std::atoi(url.c_str() + url.rfind(':') + 1));
    dispatcher_.not_ready = Error{.code = ErrorCode::unavailable,
                                  .reason = "database_gone",
                                  .message = "/home/ann/drover.db was removed",
                                  .param = {}};
    return true;
  });
  const auto ask_tcp = [&](const std::string& headers) {
    Client one(port);
    one.send("GET /readyz HTTP/1.1\r\nHost: localhost\r\n" + headers + "\r\n");
    return one.answer();
  };
  const HttpAnswer stranger = ask_tcp("");
  expect_error(stranger, 503, "database_gone", "");
  EXPECT_EQ(stranger.body.find("/home"), std::string::npos) << stranger.body;
  const HttpAnswer owner = ask_tcp("Authorization: Bearer " + std::string(kOwnerToken) + "\r\n");
  EXPECT_NE(owner.error("message").find("/home/ann"), std::string::npos) << owner.body;
  EXPECT_NE(ask("GET", "/readyz").error("message").find("/home/ann"), std::string::npos);
}

}  // namespace
}  // namespace drover::api
