#include "api/http/authorize.h"

#include "api/door_fixture.h"
#include "run/redact.h"

namespace drover::api {
namespace {

// A numeric address or localhost is our own host; an attacker can point any other name at us.
TEST(Names, AcceptOwnHosts) {
  for (const char* own : {"127.0.0.1", "127.0.0.1:7777", "localhost", "LocalHost:80", "[::1]",
                          "[::1]:7777", "192.0.2.1:1"}) {
    EXPECT_TRUE(is_own_host(own, false)) << own;
  }
  for (const char* foreign :
       {"", ":7777", "evil.example", "localhost.", "localhost:", "::1", "127.0.0.1:123456",
        "127.0.0.1:7 7", "127.0.0.1.evil", "[::1]x", "[localhost]", "0x7f.1", "127.1"}) {
    EXPECT_FALSE(is_own_host(foreign, false)) << foreign;
  }
  EXPECT_TRUE(is_own_host("drover.example", true));  // The certificate protects the name.
  EXPECT_FALSE(is_own_host("", true));
}

// A page's origin is ours only with the host, scheme and port that the client called.
TEST(Names, AcceptOwnOrigins) {
  EXPECT_TRUE(is_own_origin("http://127.0.0.1:7777", "127.0.0.1:7777", false));
  EXPECT_TRUE(is_own_origin("https://drover.example", "drover.example", true));
  for (const char* foreign : {"null", "http://127.0.0.1", "https://127.0.0.1:7777",
                              "http://127.0.0.1:7777.evil", "http://", "127.0.0.1:7777"}) {
    EXPECT_FALSE(is_own_origin(foreign, "127.0.0.1:7777", false)) << foreign;
  }
}

class TcpDoor : public Door {
 protected:
  TcpDoor() {
    on_loop([&] {
      config::ListenAddress address;
      address.port = 0;
      EXPECT_TRUE(server_->listen_tcp(address));
      const std::string& url = server_->services().tcp_url;
      port_ = static_cast<std::uint16_t>(std::atoi(url.c_str() + url.rfind(':') + 1));
    });
  }
  Answer ask_tcp(const std::string& method, const std::string& target,
                 const std::string& headers = "") {
    Client one(port_);
    one.send(method + " " + target + " HTTP/1.1\r\nHost: localhost\r\n" + headers + "\r\n");
    return one.answer();
  }
  std::uint16_t port_ = 0;
  const std::string owner_ = "Authorization: Bearer " + std::string(kOwnerToken) + "\r\n";
};

// The explanation in a refusal is not redacted as a secret.
TEST_F(TcpDoor, ARefusalExplainsWhatToSend) {
  const std::string message = access::unauthorized().error().message;
  EXPECT_EQ(run::redact(message), message);
  Client one(port_);
  one.send("GET /api/status HTTP/1.1\r\nHost: localhost\r\n\r\n");
  EXPECT_EQ(one.answer().error("message"), message);
}

// Every operation except those for anyone needs a token, and changes nothing without one.
TEST_F(TcpDoor, EveryOperationNeedsAToken) {
  for (const wire::Operation* each : all_operations()) {
    const wire::Operation& operation = *each;
    if (operation.can == wire::Permission::anyone) continue;
    Client one(port_);
    std::string path(operation.path);
    if (const size_t at = path.find('{'); at != std::string::npos) {
      path.replace(at, path.find('}') + 1 - at, "x");
    }
    one.send(std::string(operation.method) + " " + path + " HTTP/1.1\r\nHost: localhost\r\n\r\n");
    expect_error(one.answer(), 401, "unauthorized", "Authorization");
  }
  EXPECT_FALSE(stopped_);
}

// The front page tells a stranger how to get in, and does not ask a logged-in browser for a token.
TEST_F(TcpDoor, TheFrontPageKnowsASession) {
  const auto front = [this](const std::string& headers) {
    return ask_tcp("GET", "/", "Accept: text/html\r\n" + headers).body;
  };
  EXPECT_TRUE(front("").contains("need a token"));
  const std::string link(ask("POST", "/api/ui", "{}", "Content-Type: application/json\r\n")
                             .json()
                             .at("link")
                             .as_string());
  const std::string cookie = ask_tcp("GET", link.substr(link.find("/login"))).headers["set-cookie"];
  const std::string session = "Cookie: " + cookie.substr(0, cookie.find(';')) + "\r\n";
  EXPECT_FALSE(front(session).contains("need a token"));
  EXPECT_TRUE(front(session).contains("You are logged in"));
  EXPECT_TRUE(front(session + "Sec-Fetch-Site: cross-site\r\n").contains("need a token"));
  EXPECT_TRUE(front("Cookie: drover_session_" + std::to_string(port_) + "=ses_x\r\n")
                  .contains("need a token"));
}

// A refusal names the operation that was refused, whichever it is.
TEST_F(TcpDoor, ARefusalNamesItsOperation) {
  const auto made = ask("POST", "/api/tokens", R"({"scope":"app","can":"read"})",
                        "Content-Type: application/json\r\n");
  const std::string token(made.json().at("token").as_string());
  const auto refusal = [&](const char* method, const char* target) {
    const Answer answer = ask_tcp(method, target, "Authorization: Bearer " + token + "\r\n");
    EXPECT_EQ(answer.status, 403U) << target;
    return answer.error("message");
  };
  EXPECT_EQ(refusal("POST", "/api/stop"),
            "only the owner may stop the daemon; this token is not the owner's");
  EXPECT_EQ(refusal("GET", "/api/status"),
            "this token may not show the daemon and its paths: only the owner and tokens that can "
            "read in every scope may");
  EXPECT_EQ(refusal("POST", "/api/runs"),
            "this token may not start a run: it was created without --can run");
}

// R5, S2: a slow client is disconnected over TCP as on the unix socket, whether it has sent half a
// request or nothing.
TEST_F(TcpDoor, DisconnectsSlowClients) {
  Client half(port_), silent(port_);
  half.send("GET /api/status HTTP/1.1\r\nHost: localhost\r\n");
  eventually([&] { return server_->connections() == 2; });
  const auto later = [](std::int64_t ms) {
    return Connection::Time::clock::now() + std::chrono::milliseconds(ms);
  };
  EXPECT_EQ(on_loop([&] {
              server_->close_overdue(later(limits::kRequestArriveMs - 1'000));
              return server_->connections();
            }),
            2u);
  on_loop([&] { server_->close_overdue(later(limits::kRequestArriveMs + 1'000)); });
  EXPECT_EQ(half.answer().status, 408u);
  on_loop([&] { server_->close_overdue(later(limits::kIdleMs + 1'000)); });
  EXPECT_TRUE(silent.closed());
}

// The number of connections over both listeners is limited. The next client gets an error, and is
// served once another has left.
TEST_F(TcpDoor, LimitsConnections) {
  on_loop([&] { server_->services().connections_max = 3; });
  std::optional<Client> first(client());
  Client second(port_), third(port_);
  eventually([&] { return server_->connections() == 3; });
  for (int i = 0; i < 2; ++i) {
    Client over = i == 0 ? client() : Client(port_);
    expect_error(over.answer(), 503, "too_many_connections", "");
    EXPECT_TRUE(over.closed());
  }
  first.reset();
  eventually([&] { return server_->connections() == 2; });
  Client next(port_);
  next.ask("GET", "/api/status", "", owner_);
  EXPECT_EQ(next.answer().status, 403u);  // "Host: drover" is not valid over TCP.
}

// S2: however many connections TCP clients hold, the owner can connect to the unix socket.
TEST_F(TcpDoor, TcpClientsCannotLockOutTheOwner) {
  on_loop([&] { server_->services().connections_max = 4; });
  std::optional<Client> first(port_);
  Client second(port_), third(port_);
  eventually([&] { return server_->connections() == 3; });
  Client over(port_);
  expect_error(over.answer(), 503, "too_many_connections", "");
  EXPECT_EQ(ask("GET", "/api/runs").status, 200u);
  first.reset();
  eventually([&] { return server_->connections() == 2; });
  Client next(port_);
  next.send("GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n");
  EXPECT_EQ(next.answer().status, 200u);
}

// When its token is revoked, a stream ends at once, before any event or heartbeat. Other streams
// continue.
TEST_F(Door, AStreamEndsWhenItsTokenIsRevoked) {
  const auto token = ask("POST", "/api/tokens", R"({"can":"read"})").json();
  const auto other = ask("POST", "/api/tokens", R"({"can":"read"})").json();
  const auto follow = [&](const boost::json::value& with) {
    Client subscriber = client();
    subscriber.ask("GET", "/api/events?follow=true", "",
                   "Authorization: Bearer " + std::string(with.at("token").as_string()) + "\r\n");
    EXPECT_FALSE(subscriber.read_until("retry: ").empty());
    return subscriber;
  };
  Client theirs = follow(other);
  Client subscriber = follow(token);
  const auto streams = [&] { return server_->services().traffic.streams; };
  EXPECT_EQ(on_loop(streams), 2u);
  ask("DELETE", "/api/tokens/" + std::string(token.at("token_id").as_string()));
  // Within a few iterations of the loop, much sooner than a heartbeat.
  for (int turns = 0; turns < 1'000 && on_loop(streams) == 2; ++turns) {
  }
  EXPECT_EQ(on_loop(streams), 1u);
  const std::string rest = subscriber.read_until("unauthorized");
  EXPECT_NE(rest.find("event: error"), std::string::npos) << rest;
  EXPECT_FALSE(theirs.read_until(submit()).empty());
}

// When its token is revoked, a request that waits for a run does not learn how it finished.
TEST_F(Door, AWaitEndsWithItsToken) {
  const auto token = ask("POST", "/api/tokens", R"({"can":"read"})").json();
  const std::string id = submit();
  Client waiting = client();
  waiting.ask("GET", "/api/runs/" + id + "?wait=60s", "",
              "Authorization: Bearer " + std::string(token.at("token").as_string()) + "\r\n");
  eventually([&] { return server_->connections() == 1; });
  ask("DELETE", "/api/tokens/" + std::string(token.at("token_id").as_string()));
  start(id);
  finish(id);
  expect_error(waiting.answer(), 401, "unauthorized", "Authorization");
}

// When its token is revoked, a submission that waits is refused at once, and its run continues.
TEST_F(Door, AWaitingSubmissionEndsWithItsToken) {
  const auto token = ask("POST", "/api/tokens", R"({"can":"run"})").json();
  Client waiting = client();
  waiting.ask("POST", "/api/runs?wait=300s", R"({"command":["true"],"name":"mine"})",
              "Authorization: Bearer " + std::string(token.at("token").as_string()) + "\r\n");
  eventually([&] { return store_.list({.name = "mine"})->size() == 1; });
  ask("DELETE", "/api/tokens/" + std::string(token.at("token_id").as_string()));
  expect_error(waiting.answer(), 401, "unauthorized", "Authorization");
  EXPECT_EQ(ask("GET", "/api/runs/mine").json().at("state"), "starting");
}

// When a run finishes, its token becomes invalid, and its waits and streams end at once, without
// any event.
TEST_F(Door, WaitsAndStreamsOfARunEndWithIt) {
  const std::string parent = submit();
  const std::string bearer = "Authorization: Bearer " +
                             on_loop([&] { return gate_.of_run(*RunId::parse(parent)); }) + "\r\n";
  Client submitting = client();
  submitting.ask("POST", "/api/runs?wait=300s", R"({"command":["true"],"name":"child"})", bearer);
  eventually([&] { return store_.list({.name = "child"})->size() == 1; });
  const std::string child(ask("GET", "/api/runs/child").json().at("run_id").as_string());
  Client waiting = client();
  waiting.ask("GET", "/api/runs/" + child + "?wait=300s", "", bearer);
  eventually([&] { return server_->connections() == 2; });
  Client subscribers[] = {client(), client()};
  subscribers[0].ask("GET", "/api/events?follow=true", "", bearer);
  subscribers[1].ask("GET", "/api/runs/" + child + "/events?follow=true", "", bearer);
  for (Client& subscriber : subscribers) EXPECT_FALSE(subscriber.read_until("retry: ").empty());
  start(parent);  // A start of the run ends nothing.
  finish(parent);
  expect_error(submitting.answer(), 401, "unauthorized", "Authorization");
  expect_error(waiting.answer(), 401, "unauthorized", "Authorization");
  // Within a few iterations of the loop, much sooner than a heartbeat.
  const auto streams = [&] { return server_->services().traffic.streams; };
  for (int turns = 0; turns < 1'000 && on_loop(streams) != 0; ++turns) {
  }
  EXPECT_EQ(on_loop(streams), 0u);
  for (Client& subscriber : subscribers) {
    EXPECT_NE(subscriber.read_until("unauthorized").find("event: error"), std::string::npos);
  }
}

// A stream ends when its token becomes invalid, before anything more is sent.
TEST_F(Door, AStreamEndsWithItsToken) {
  const Answer made = ask("POST", "/api/tokens", R"({"can":"read"})");
  ASSERT_EQ(made.status, 201u) << made.body;
  const auto token = made.json();
  const std::string bearer =
      "Authorization: Bearer " + std::string(token.at("token").as_string()) + "\r\n";
  Client subscriber = client();
  subscriber.ask("GET", "/api/events?follow=true", "", bearer);
  EXPECT_FALSE(subscriber.read_until("retry: ").empty());
  EXPECT_FALSE(subscriber.read_until(submit()).empty());
  const Answer revoked =
      ask("DELETE", "/api/tokens/" + std::string(token.at("token_id").as_string()));
  EXPECT_EQ(revoked.status, 200u);
  const std::string after = submit();
  const std::string rest = subscriber.read_until("unauthorized");
  EXPECT_NE(rest.find("event: error"), std::string::npos) << rest;
  EXPECT_EQ(rest.find(after), std::string::npos);
}

}  // namespace
}  // namespace drover::api
