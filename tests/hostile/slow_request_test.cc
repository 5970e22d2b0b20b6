// A request that takes long keeps nobody else waiting, and ends with its client.
#include <poll.h>

#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>

#include "tests/harness.h"

#include <gtest/gtest.h>

namespace drover::hostile {
namespace {

using boost::json::object;
using tests::Flock;

class SlowRequest : public ::testing::Test {
 protected:
  SlowRequest() { flock_.daemon(); }

  // Starts a script in a terminal of the largest size, and waits until it has finished.
  std::string run_in_large_terminal(const std::string& script) {
    const std::string body = boost::json::serialize(
        object{{"shell", script}, {"stdin", "pty"}, {"pty", {{"rows", 500}, {"cols", 1000}}}});
    const std::string answer = flock_.http(
        "POST /api/runs HTTP/1.1\r\nHost: drover\r\nConnection: close\r\n"
        "Content-Type: application/json\r\nContent-Length: " +
        std::to_string(body.size()) + "\r\n\r\n" + body);
    const auto json = boost::json::parse(answer.substr(answer.find("\r\n\r\n") + 4));
    const std::string id(json.at("run_id").as_string());
    flock_.ended(id);
    return id;
  }

  // How many requests the threads beside the loop work on.
  bool works_on(int count) {
    const std::string metrics =
        flock_.http("GET /metrics HTTP/1.1\r\nHost: drover\r\nConnection: close\r\n\r\n");
    return metrics.find("\ndrover_work_running{pool=\"work\"} " + std::to_string(count) + "\n") !=
           std::string::npos;
  }

  static bool is_answered(const Fd& client) {
    pollfd one{.fd = client.get(), .events = POLLIN, .revents = 0};
    return ::poll(&one, 1, 0) > 0;
  }

  Flock flock_;
};

// R14: a screen that takes longer than anybody waits. Each `ESC # 8` fills all of its cells.
TEST_F(SlowRequest, AScreenDelaysNobody) {
  const std::string id =
      run_in_large_terminal(R"sh(yes "$(printf '\033#8')" | tr -d '\n' | head -c 1000000)sh");
  Fd slow = flock_.connect();
  ASSERT_TRUE(
      write_all(slow.get(), "GET /api/runs/" + id + "/screen HTTP/1.1\r\nHost: drover\r\n\r\n"));
  while (!works_on(1)) ASSERT_FALSE(is_answered(slow));
  EXPECT_NE(flock_.ok({"ps", "-a"}), "");
  EXPECT_EQ(flock_.ok({"run", "--", "echo", "quick"}), "quick");
  EXPECT_NE(flock_.ok({"logs", "--raw", "--tail", "1", "@last"}), "");
  EXPECT_TRUE(works_on(1));
  EXPECT_FALSE(is_answered(slow));
  slow.close();
  while (!works_on(0)) {
  }
}

// The same of an ordinary long output: it is drawn.
TEST_F(SlowRequest, TheScreenOfALongOutputIsDrawn) {
  const std::string id = run_in_large_terminal("seq 1 1000000");
  const std::string screen = flock_.http(
      "GET /api/runs/" + id + "/screen HTTP/1.1\r\nHost: drover\r\nConnection: close\r\n\r\n");
  EXPECT_NE(screen.find("\n999999\n1000000\n"), std::string::npos) << screen.substr(0, 500);
}

}  // namespace
}  // namespace drover::hostile
