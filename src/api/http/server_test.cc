#include "api/http/server.h"

#include <fcntl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <boost/asio/local/stream_protocol.hpp>

#include "api/door_fixture.h"

namespace drover::api {
namespace {

using ServerTest = Door;

// One connection serves many requests, also pipelined ones.
TEST_F(ServerTest, AnswersPipelinedRequests) {
  Client one = client();
  for (int i = 0; i < 3; ++i) one.ask("GET", "/api/lanes");
  one.ask("GET", "/api/nothing");
  for (int i = 0; i < 3; ++i) EXPECT_EQ(one.answer().status, 200U);
  EXPECT_EQ(one.answer().status, 404U);
}

// A request may arrive byte by byte.
TEST_F(ServerTest, AssemblesARequestFromBytes) {
  Client one = client();
  const std::string_view body = R"({"command":["true"]})";
  std::string text = "POST /api/runs HTTP/1.1\r\nContent-Type: application/json\r\n";
  text.append("Content-Length: " + std::to_string(body.size()) + "\r\n\r\n").append(body);
  for (const char c : text) one.send({&c, 1});
  EXPECT_EQ(one.answer().status, 202U);
}

// A client that sends Expect: 100-continue gets a 100.
TEST_F(ServerTest, ContinuesWhenAsked) {
  Client one = client();
  one.send(
      "POST /api/runs HTTP/1.1\r\nContent-Type: application/json\r\nContent-Length: 20\r\n"
      "Expect: 100-continue\r\n\r\n");
  EXPECT_EQ(one.read_until("\r\n\r\n"), "HTTP/1.1 100 Continue\r\n\r\n");
  one.send(R"({"command":["true"]})");
  EXPECT_EQ(one.answer().status, 202U);
}

// The size of bodies and headers is limited. The error reaches a client that is still sending.
TEST_F(ServerTest, RefusesLargeRequests) {
  const std::string large(limits::kBodyBytesMax + 1, 'x');
  expect_error(ask("POST", "/api/runs", large), 413, "body_too_large", "body");
  const std::string header = "X-Long: " + std::string(limits::kHeaderBytesMax, 'x') + "\r\n";
  expect_error(ask("GET", "/api/status", {}, header), 431, "header_too_large", "headers");
  Client chunked = client();
  chunked.send("POST /api/runs HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n");
  for (int i = 0; i < 5; ++i) {
    chunked.send("100000\r\n" + std::string(1 << 20, 'x') + "\r\n");
  }
  expect_error(chunked.answer(), 413, "body_too_large", "body");
}

// Input that is not HTTP is answered in the envelope, and the connection is closed.
TEST_F(ServerTest, RefusesInputThatIsNotHttp) {
  Client one = client();
  one.send("\x16\x03\x01 hello\r\n\r\n");
  expect_error(one.answer(), 400, "malformed_request", "");
}

// A client may choose its request's id if the id is harmless; otherwise the server chooses one.
TEST_F(ServerTest, GivesEveryRequestAnId) {
  const HttpAnswer named = ask("GET", "/api/runs/x", {}, "X-Request-Id: abc-1\r\n");
  EXPECT_EQ(named.headers.at("x-request-id"), "abc-1");
  EXPECT_EQ(named.error("request_id"), "abc-1");
  const HttpAnswer other = ask("GET", "/api/status", {}, "X-Request-Id: a b\"c\r\n");
  EXPECT_TRUE(other.headers.at("x-request-id").starts_with("req_"));
}

// Only the owner can connect to the socket, and a second daemon cannot take it over.
TEST_F(ServerTest, KeepsTheSocketToItsOwner) {
  struct stat st{};
  ASSERT_EQ(::stat(home_.socket().c_str(), &st), 0);
  EXPECT_EQ(st.st_mode & 0777, 0600U);
  const Result<> second = on_loop([&] {
    Server other(server_->services());
    return other.listen(home_.socket());
  });
  ASSERT_FALSE(second);
  EXPECT_EQ(second.error().reason, "already_serving");
  EXPECT_EQ(ask("GET", "/api/status").status, 200U);
}

// Any other user who can reach the socket is refused by uid.
TEST_F(ServerTest, RefusesAnotherUser) {
  on_loop([&] { server_->services().owner = ::geteuid() + 1; });
  Client one = client();
  expect_error(one.answer(), 403, "not_the_owner", "");
}

// A socket left behind by a dead daemon is replaced.
TEST_F(ServerTest, ReplacesAStaleSocket) {
  const std::string path = directory_.file("stale.sock");
  asio::io_context loop;
  {
    asio::local::stream_protocol::acceptor left(loop);
    left.open(asio::local::stream_protocol());
    left.bind(asio::local::stream_protocol::endpoint(path));
  }
  Services services = server_->services();
  services.loop = loop.get_executor();
  Server server(services);
  EXPECT_TRUE(server.listen(path));
  EXPECT_FALSE(server.listen(directory_.file(std::string(200, 'x'))));
}

// A socket that only a child of a dead daemon still has is replaced, too.
TEST_F(ServerTest, ReplacesTheSocketOfAForkedChild) {
  const std::string path = directory_.file("forked.sock");
  sockaddr_un address{.sun_family = AF_UNIX, .sun_path = {}};
  ASSERT_LT(path.size(), sizeof address.sun_path);
  std::ranges::copy(path, address.sun_path);
  int alive[2];  // The child waits until the test closes its end.
  ASSERT_EQ(::pipe2(alive, O_CLOEXEC), 0);
  const pid_t daemon = ::fork();
  if (daemon == 0) {
    const int fd = ::socket(AF_UNIX, SOCK_STREAM, 0);
    const bool listens = ::bind(fd, reinterpret_cast<sockaddr*>(&address), sizeof address) == 0 &&
                         ::listen(fd, 8) == 0;
    if (listens && ::fork() == 0) {
      ::close(alive[1]);
      char byte = 0;
      (void)!::read(alive[0], &byte, 1);
      ::_exit(0);
    }
    ::_exit(listens ? 0 : 1);
  }
  ::close(alive[0]);
  const Fd end(alive[1]);
  int status = -1;
  ASSERT_EQ(::waitpid(daemon, &status, 0), daemon);
  ASSERT_EQ(status, 0);
  asio::io_context loop;
  Services services = server_->services();
  services.loop = loop.get_executor();
  Server server(services);
  EXPECT_TRUE(server.listen(path));
}

// A request that does not arrive in time gets an error; a silent connection is closed.
TEST_F(ServerTest, DisconnectsSlowClients) {
  Client slow = client();
  slow.send("GET /api/status HTTP/1.1\r\nHost:");
  Client idle = client();
  idle.ask("GET", "/api/lanes");
  EXPECT_EQ(idle.answer().status, 200U);
  const auto later = [&](std::int64_t ms) {
    on_loop([&] {
      server_->close_overdue(std::chrono::steady_clock::now() + std::chrono::milliseconds(ms));
    });
  };
  eventually([&] { return server_->connections() == 2; });
  // The half request may still be on its way to the server: repeat until it has arrived.
  while (on_loop([&] { return server_->connections() == 2; })) later(limits::kRequestArriveMs);
  expect_error(slow.answer(), 408, "request_timeout", "");
  EXPECT_TRUE(slow.closed());
  later(limits::kRequestArriveMs);
  EXPECT_EQ(on_loop([&] { return server_->connections(); }), 1U);
  later(limits::kIdleMs);
  EXPECT_TRUE(idle.closed());
}

// A body has a total time, however steadily it trickles.
TEST_F(ServerTest, DisconnectsAClientThatTricklesABody) {
  on_loop([&] { server_->services().body_arrive_ms = 20; });
  Client slow = client();
  slow.send(
      "POST /api/runs HTTP/1.1\r\nContent-Type: application/json\r\nContent-Length: 4000000\r\n"
      "\r\n");
  while (!slow.has_answer()) slow.send(" ");
  expect_error(slow.answer(), 408, "request_timeout", "");
  EXPECT_TRUE(slow.closed());
}

// A header that continues on the next line is refused: proxies disagree about it.
TEST_F(ServerTest, RefusesFoldedHeaders) {
  for (const std::string folded :
       {"Transfer-Encoding:\r\n chunked", "Transfer-Encoding: \r\n\tchunked", "X-Other: a\r\n b"}) {
    for (const bool in_pieces : {false, true}) {
      Client one = client();
      const std::string head =
          "POST /api/runs HTTP/1.1\r\nContent-Type: application/json\r\n" + folded + "\r\n\r\n";
      if (in_pieces) {
        for (const char c : head) one.send({&c, 1});
      } else {
        one.send(head + "0\r\n\r\n");
      }
      expect_error(one.answer(), 400, "malformed_request", "headers");
      EXPECT_TRUE(one.closed());
    }
  }
}

// A client that does not read its answers is disconnected, and its buffers are freed.
TEST_F(ServerTest, DisconnectsAClientThatDoesNotRead) {
  const std::string id = submit();
  print(id, Stream::out, std::string(4 << 20, 'x'));
  Client stuck = client();
  stuck.ask("GET", "/api/runs/" + id + "/logs");
  EXPECT_NE(stuck.read_until("\r\n\r\n"), "");
  while (on_loop([&] {
    server_->close_overdue(std::chrono::steady_clock::now() +
                           std::chrono::milliseconds(limits::kWriteStallMs));
    return server_->connections() != 0;
  })) {
  }
}

// Closing ends waits and streams with an answer, and closes idle connections.
TEST_F(ServerTest, ClosesWithAnAnswerToEveryRequest) {
  const std::string id = submit();
  Client idle = client();
  Client waiting = client();
  waiting.ask("GET", "/api/runs/" + id + "?wait=60s");
  Client following = client();
  following.ask("GET", "/api/events?follow=true");
  following.read_until("retry: 1000");
  eventually([&] { return server_->connections() == 3; });
  std::promise<void> done;
  on_loop([&] { server_->close([&] { done.set_value(); }); });
  EXPECT_EQ(waiting.answer().json().at("state"), "starting");
  EXPECT_TRUE(following.read_to_end().ends_with("0\r\n\r\n"));
  EXPECT_TRUE(idle.closed());
  done.get_future().wait();
}

}  // namespace
}  // namespace drover::api
