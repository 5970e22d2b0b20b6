#include "api/http/authorize.h"

#include <cstring>

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
  HttpAnswer ask_tcp(const std::string& method, const std::string& target,
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
  // The page that a browser shows before its script has run.
  const auto shown = [&](const std::string& headers) {
    std::string page = front(headers);
    const size_t begin = page.find("<noscript>");
    const size_t end = page.find("</noscript>");
    if (begin != std::string::npos) page.erase(begin, end - begin);
    return page;
  };
  // It asks for a token only if no browser session was sent.
  const auto expect_checking = [&](const std::string& headers) {
    EXPECT_FALSE(shown(headers).contains("need a token")) << headers;
    EXPECT_TRUE(shown(headers).contains("Checking your login…")) << headers;
    EXPECT_TRUE(front(headers).contains("need a token")) << headers;  // For the script to show.
  };
  EXPECT_TRUE(shown("").contains("need a token"));
  EXPECT_FALSE(shown("").contains("Checking your login…"));
  const std::string link(ask("POST", "/api/ui", "{}", "Content-Type: application/json\r\n")
                             .json()
                             .at("link")
                             .as_string());
  HttpAnswer login = ask_tcp("GET", link.substr(link.find("/login")));
  const std::string cookie = login.headers["set-cookie"];
  const std::string session = "Cookie: " + cookie.substr(0, cookie.find(';')) + "\r\n";
  const std::string key =
      "Drover-Page-Key: " + login.headers["location"].substr(std::strlen("/#key=")) + "\r\n";
  EXPECT_FALSE(front(session + key).contains("need a token"));
  EXPECT_TRUE(front(session + key).contains("You are logged in."));
  EXPECT_FALSE(front(session + key).contains("Checking your login…"));
  expect_checking(session);  // Its script sends the key.
  expect_checking(session + key + "Sec-Fetch-Site: cross-site\r\n");
  expect_checking("Cookie: drover_session_" + std::to_string(port_) + "=ses_x\r\n");
  EXPECT_TRUE(shown("Cookie: drover_session_1=ses_x\r\n").contains("need a token"));
}

// A browser sends the cookie of a browser session to every port of its host. A server there gets a
// cookie that opens nothing: neither without the page's key, nor as a token, nor under another name
// of the host.
TEST_F(TcpDoor, AStolenCookieOpensNothing) {
  const std::string link(ask("POST", "/api/ui", "{}", "Content-Type: application/json\r\n")
                             .json()
                             .at("link")
                             .as_string());
  HttpAnswer login = ask_tcp("GET", link.substr(link.find("/login")));
  const std::string pair =
      login.headers["set-cookie"].substr(0, login.headers["set-cookie"].find(';'));
  const std::string value = pair.substr(pair.find('=') + 1);
  const std::string cookie = "Cookie: " + pair + "\r\n";
  const std::string page = login.headers["location"].substr(std::strlen("/#key="));
  const std::string key = "Drover-Page-Key: " + page + "\r\n";
  const auto status = [&](const std::string& headers, const std::string& host = "localhost") {
    Client one(port_);
    one.send("GET /api/runs HTTP/1.1\r\nHost: " + host + "\r\n" + headers + "\r\n");
    return one.answer().status;
  };
  EXPECT_EQ(status(cookie + key), 200U);
  EXPECT_EQ(status(cookie), 401U);
  EXPECT_EQ(status(cookie + "Drover-Page-Key: " + page.substr(1) + "0\r\n"), 401U);
  EXPECT_EQ(status("Authorization: Bearer " + value + "\r\n"), 401U);
  EXPECT_EQ(status("Authorization: Bearer " + value + "\r\n" + key), 401U);
  EXPECT_EQ(status(key), 401U);
  EXPECT_EQ(status(cookie + key, "127.0.0.1"), 401U);
  EXPECT_EQ(status(cookie + key, "localhost:1"), 401U);
  EXPECT_EQ(ask("GET", "/api/runs", "", "Authorization: Bearer " + value + "\r\n").status, 401U);
}

// A refusal names the operation that was refused, whichever it is.
TEST_F(TcpDoor, ARefusalNamesItsOperation) {
  const auto made = ask("POST", "/api/tokens", R"({"scope":"app","can":"read"})",
                        "Content-Type: application/json\r\n");
  const std::string token(made.json().at("token").as_string());
  const auto refusal = [&](const char* method, const char* target) {
    const HttpAnswer answer = ask_tcp(method, target, "Authorization: Bearer " + token + "\r\n");
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

// Strangers have places of their own. The next one gets an error, and is served once another has
// left. Neither the owner on the unix socket nor authenticated clients need one of them.
TEST_F(TcpDoor, LimitsStrangers) {
  Client known(port_);
  known.send("GET /api/runs HTTP/1.1\r\nHost: localhost\r\n" + owner_ + "\r\n");
  EXPECT_EQ(known.answer().status, 200u);
  on_loop([&] { server_->services().descriptors_max = 24; });  // 3 for strangers.
  std::optional<Client> first(port_);
  Client second(port_), third(port_);
  eventually([&] { return server_->connections() == 4; });
  Client over(port_);
  expect_error(over.answer(), 503, "too_many_connections", "");
  EXPECT_TRUE(over.closed());
  EXPECT_EQ(ask("GET", "/api/runs").status, 200u);
  known.send("GET /api/runs HTTP/1.1\r\nHost: localhost\r\n" + owner_ + "\r\n");
  EXPECT_EQ(known.answer().status, 200u);
  first.reset();
  eventually([&] { return server_->connections() == 3; });
  Client next(port_);
  next.send("GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n");
  EXPECT_EQ(next.answer().status, 200u);
  EXPECT_TRUE(next.closed());
}

// A stranger that waits longer than its turn gives its place to the next one: silent connections
// cannot keep a client with a token out.
TEST_F(TcpDoor, SilentStrangersGiveWay) {
  on_loop([&] {
    server_->services().descriptors_max = 24;
    server_->services().stranger_turn_ms = 0;
  });
  std::vector<Client> silent;
  for (int i = 0; i < 20; ++i) silent.emplace_back(port_);
  Client client(port_);
  client.send("GET /api/runs HTTP/1.1\r\nHost: localhost\r\n" + owner_ + "\r\n");
  EXPECT_EQ(client.answer().status, 200u);
  expect_error(silent[0].answer(), 503, "too_many_connections", "");
  EXPECT_LE(on_loop([&] { return server_->connections(); }), 4U);
}

// Authenticated clients have a limit of their own, and leave a quarter to the owner.
TEST_F(TcpDoor, ClientsCannotLockOutTheOwner) {
  on_loop([&] { server_->services().descriptors_max = 24; });  // 6 for clients.
  std::vector<Client> clients;
  for (int i = 0; i < 7; ++i) {
    clients.emplace_back(port_);
    clients.back().send("GET /api/runs HTTP/1.1\r\nHost: localhost\r\n" + owner_ + "\r\n");
    if (i < 6) EXPECT_EQ(clients.back().answer().status, 200u);
  }
  expect_error(clients.back().answer(), 503, "too_many_connections", "");
  EXPECT_EQ(ask("GET", "/api/runs").status, 200u);
}

// A stranger is refused on the head of its request: no body is read, and none is asked for.
TEST_F(TcpDoor, StrangersAreRefusedBeforeTheirBody) {
  for (const std::string more :
       {"", "Expect: 100-continue\r\n", "Authorization: Bearer dro_tok_123456789abc_x\r\n"}) {
    Client one(port_);
    one.send("POST /api/runs HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n" +
             more + "Content-Length: 4000000\r\n\r\n{");
    expect_error(one.answer(), 401, "unauthorized", "Authorization");
    EXPECT_TRUE(one.closed());
  }
  Client logout(port_);  // Open to anyone, but not to any number of bytes.
  logout.send(
      "POST /api/logout HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
      "Content-Length: 4000000\r\n\r\n{");
  expect_error(logout.answer(), 413, "body_too_large", "body");
}

// The host of an absolute target counts like Host.
TEST_F(TcpDoor, AForeignAbsoluteTargetIsRefused) {
  for (const char* target : {"http://evil.example/api/runs", "HTTP://evil.example/api/runs",
                             "http://localhost@evil.example/api/runs", "http:///api/runs",
                             "https://evil.example/api/runs", "http://localhost.evil/api/runs"}) {
    expect_error(ask_tcp("GET", target, owner_), 403, "foreign_host", "Host");
  }
  EXPECT_EQ(ask_tcp("GET", "http://localhost/api/runs", owner_).status, 200u);
  EXPECT_EQ(ask_tcp("GET", "HTTP://LOCALHOST/api/runs", owner_).status, 200u);
}

}  // namespace
}  // namespace drover::api
