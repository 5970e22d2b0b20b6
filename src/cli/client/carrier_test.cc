#include "cli/client/carrier.h"

#include <fmt/core.h>
#include <gtest/gtest.h>
#include <sys/socket.h>

#include <array>
#include <cerrno>

namespace drover::cli {
namespace {

// A carrier that is connected to the test instead of a daemon.
class CarrierTest : public testing::Test {
 protected:
  std::string sent() {  // Since the last call.
    std::array<char, 8192> buffer;
    const ssize_t got = ::recv(daemon_.get(), buffer.data(), buffer.size(), MSG_DONTWAIT);
    return {buffer.data(), got > 0 ? static_cast<size_t>(got) : 0};
  }
  void answer(std::string_view header, std::string_view body) {
    ASSERT_TRUE(
        write_all(daemon_.get(), fmt::format("HTTP/1.1 202 X\r\n{}Content-Length: {}\r\n\r\n{}",
                                             header, body.size(), body)));
  }
  Result<Fd> connect() {
    int ends[2];
    if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) {
      return fail_errno("cannot make a pair of sockets", errno);
    }
    daemon_ = Fd(ends[1]);
    return Fd(ends[0]);
  }
  // Makes one run active and pipelines another behind it, as after a short run.
  void send_ahead() {
    carrier_.carry({.input = "a", .key = "k-1", .body = "{}"});
    EXPECT_FALSE(carrier_.takes_next());  // No short run has finished yet.
    answer("", R"({"run_id":"run_1","state":"completed"})");
    ASSERT_TRUE(carrier_.turn().value());
    EXPECT_EQ(carrier_.put_down().key, "k-1");
    (void)sent();
    carrier_.carry({.input = "b", .key = "k-2", .body = "{}"});
    ASSERT_TRUE(carrier_.takes_next());
    carrier_.carry_next({.input = "c", .key = "k-3", .body = "{}"});
    EXPECT_FALSE(carrier_.takes_next());
    const std::string both = sent();
    EXPECT_NE(both.find("ahead=true"), std::string::npos) << both;
    EXPECT_LT(both.find("k-2"), both.find("k-3")) << both;
  }

  Fd daemon_;
  Carrier carrier_{[this] { return connect(); }, true};
};

// S1: a run that takes long is waited for on a new connection, and the job pipelined behind it is
// given back.
TEST_F(CarrierTest, GivesBackTheJobThatDidNotStart) {
  send_ahead();
  answer("Connection: close\r\n", R"({"run_id":"run_2","state":"running"})");
  EXPECT_FALSE(carrier_.turn().value());
  EXPECT_EQ(carrier_.take_back().value().key, "k-3");
  EXPECT_TRUE(sent().starts_with("GET /api/runs/run_2"));
  EXPECT_FALSE(carrier_.takes_next());
}

// S1: answers that arrive together are all taken.
TEST_F(CarrierTest, TakesAnswersThatArriveTogether) {
  send_ahead();
  answer("", R"({"run_id":"run_2","state":"failed"})");
  answer("", R"({"run_id":"run_3","state":"completed"})");
  ASSERT_TRUE(carrier_.turn().value());
  EXPECT_EQ(carrier_.put_down().key, "k-2");
  EXPECT_TRUE(carrier_.has_more_answers());
  ASSERT_TRUE(carrier_.turn().value());
  EXPECT_EQ(carrier_.put_down().key, "k-3");
  EXPECT_FALSE(carrier_.busy());
}

// S1: a job that is withdrawn in time does not start; the run before it is asked for again at once.
TEST_F(CarrierTest, WithdrawsThePipelinedJob) {
  send_ahead();
  carrier_.withdraw_next();
  std::array<char, 1> byte;
  EXPECT_EQ(::recv(daemon_.get(), byte.data(), byte.size(), 0), 0);  // It has closed its side.
  daemon_.close();
  EXPECT_FALSE(carrier_.turn().value());
  EXPECT_EQ(carrier_.take_back().value().key, "k-3");
  EXPECT_FALSE(carrier_.away());
  EXPECT_NE(sent().find("k-2"), std::string::npos);
}

}  // namespace
}  // namespace drover::cli
