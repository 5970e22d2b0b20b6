// The API over TCP: off by default, never without authentication, and closed to pages of other
// sites.
#include <fstream>

#include "tests/cli/access_fixture.h"

namespace drover::tests {
namespace {

class Tcp : public Access {
 protected:
  Tcp() { flock_.environment["DROVER_LISTEN"] = "127.0.0.1:0"; }
};

// The daemon does not listen on TCP by default; `status` shows the address.
TEST_F(Access, TcpIsOffByDefault) {
  EXPECT_TRUE(flock_.json({"status"}).at("url").is_null());
  const std::string link = flock_.ok({"ui", "--no-open"});
  const std::string url = text_of(flock_.json({"status"}), "url");
  EXPECT_TRUE(url.starts_with("http://127.0.0.1:")) << url;
  EXPECT_TRUE(link.starts_with(url + "/login?code=")) << link;
}

// Without a token or a browser session, every request is refused; with the owner's token, all work.
TEST_F(Tcp, NeedsAToken) {
  flock_.daemon();
  for (const std::string target : {"/api/runs", "/api/status", "/api/events", "/api/tokens"}) {
    const Reply none = ask_tcp({.target = target});
    EXPECT_EQ(none.status, 401);
    EXPECT_EQ(none.error(), "unauthorized");
    EXPECT_FALSE(none.header("WWW-Authenticate").empty());
    EXPECT_EQ(ask_tcp({.target = target, .token = owner_token()}).status, 200) << target;
  }
  const std::string read = token("read", "app");
  EXPECT_EQ(ask_tcp({.target = "/api/runs", .token = read}).status, 200);
  EXPECT_EQ(ask_tcp({.method = "POST", .target = "/api/stop", .token = read, .body = "{}"}).status,
            403);
}

// A one-time link opens a browser session: its cookie is not readable by scripts and not sent by
// other sites.
TEST_F(Tcp, AOneTimeLinkOpensOneSession) {
  flock_.daemon();
  const std::string link = flock_.ok({"ui", "--no-open"});
  const std::string target = link.substr(link.find("/login"));
  // A link preview does not use up the link.
  EXPECT_EQ(ask_tcp({.method = "HEAD", .target = target}).status, 401);
  EXPECT_EQ(ask_tcp({.target = "/login?code=0123"}).status, 401);
  EXPECT_EQ(ask_tcp({.target = "/login"}).status, 401);
  const Reply reply = ask_tcp({.target = target});
  EXPECT_EQ(reply.status, 303);
  const std::string key = reply.header("Location");
  EXPECT_TRUE(key.starts_with("/#key=")) << key;
  const std::string cookie = reply.header("Set-Cookie");
  for (const char* part : {"HttpOnly", "SameSite=Strict", "Path=/", "Max-Age=2592000"}) {
    EXPECT_NE(cookie.find(part), std::string::npos) << cookie;
  }
  EXPECT_EQ(ask_tcp({.target = target}).status, 401) << "a link works once";
  const std::string session = "Cookie: a=b; " + cookie.substr(0, cookie.find(';')) + "; c=d\r\n" +
                              "Drover-Page-Key: " + key.substr(std::strlen("/#key=")) + "\r\n";
  EXPECT_EQ(ask_tcp({.target = "/api/tokens", .headers = session}).status, 200);

  EXPECT_EQ(
      text_of(ask_tcp({.method = "POST", .target = "/api/logout", .body = "{}", .headers = session})
                  .json(),
              "outcome"),
      "logged_out");
  EXPECT_EQ(ask_tcp({.target = "/api/tokens", .headers = session}).status, 401);
}

// A browser session can be revoked from the command line.
TEST_F(Tcp, ASessionCanBeRevoked) {
  flock_.daemon();
  const std::string session = log_in();
  EXPECT_EQ(ask_tcp({.target = "/api/runs", .headers = session}).status, 200);
  const auto all = flock_.json({"token", "ls"});
  const auto& kept = all.at("tokens").at(0).as_object();
  EXPECT_EQ(text_of(kept, "kind"), "session");
  flock_.ok({"token", "revoke", text_of(kept, "token_id")});
  EXPECT_EQ(ask_tcp({.target = "/api/runs", .headers = session}).status, 401);
}

// A cookie may contain only a browser session; a token in it is refused.
TEST_F(Tcp, RefusesATokenInACookie) {
  flock_.daemon();
  const std::string name = "Cookie: drover_session_" + std::to_string(port()) + "=";
  for (const std::string& value : {owner_token(), token("read"), std::string("")}) {
    EXPECT_EQ(ask_tcp({.target = "/api/status", .headers = name + value + "\r\n"}).status, 401);
  }
}

// A foreign host name that resolves to us, and a page of another site, are refused with any token
// or session.
TEST_F(Tcp, ForeignNamesAndPagesAreRefused) {
  flock_.daemon();
  const std::string session = log_in();
  const std::string here = std::to_string(port());
  for (const std::string host : {"evil.example", "evil.example:7777", "localhost.evil.example",
                                 "127.0.0.1.evil.example", "", "127.0.0.1:x", "[::1"}) {
    const Reply reply = ask_tcp({.target = "/api/status", .headers = session, .host = host});
    EXPECT_EQ(reply.status, 403) << host;
    EXPECT_EQ(reply.error(), "foreign_host");
    EXPECT_EQ(ask_tcp({.target = "/login?code=1", .host = host}).error(), "foreign_host");
  }
  for (const std::string& host : {"localhost:" + here, "127.0.0.1:" + here, std::string("[::1]")}) {
    const auto called = [&](const std::string& headers, const std::string& bearer) {
      return ask_tcp({.target = "/api/status", .token = bearer, .headers = headers, .host = host});
    };
    EXPECT_EQ(called("", owner_token()).status, 200) << host;
    EXPECT_EQ(called(session, "").status, 401) << host << ": the session is bound to its host";
  }
  for (const std::string origin : {"http://evil.example", "null", "https://127.0.0.1",
                                   "http://127.0.0.1:1", "http://localhost", "file://"}) {
    const Reply reply = ask_tcp({.method = "POST",
                                 .target = "/api/runs",
                                 .body = R"({"command":["true"]})",
                                 .headers = session + "Origin: " + origin + "\r\n"});
    EXPECT_EQ(reply.status, 403) << origin;
    EXPECT_EQ(reply.error(), "foreign_origin");
  }
  EXPECT_TRUE(flock_.json({"ps", "-a"}).at("runs").as_array().empty());
  EXPECT_EQ(ask_tcp({.target = "/api/status",
                     .token = owner_token(),
                     .headers = "Origin: http://127.0.0.1:" + here + "\r\n",
                     .host = "127.0.0.1:" + here})
                .status,
            200);
  // No browser can reach the unix socket.
  EXPECT_EQ(ask({.target = "/api/status", .host = "drover"}).status, 200);
}

// A busy port is not fatal: the daemon serves its socket, and reports the problem.
TEST_F(Tcp, ABusyPortIsNotFatal) {
  flock_.daemon();
  Flock other;
  other.environment["DROVER_LISTEN"] = "127.0.0.1:" + std::to_string(port());
  const auto status = other.json({"status"});
  EXPECT_TRUE(status.at("url").is_null());
  EXPECT_NE(text_of(status, "url_trouble").find("another program is listening"), std::string::npos);
  EXPECT_NE(other.ok({"status"}).find("another program is listening"), std::string::npos);
  other.ok({"run", "--", "true"});
  // `ui` chooses another port.
  const std::string link = other.ok({"ui", "--no-open"});
  EXPECT_NE(link.substr(0, link.find("/login")), text_of(flock_.json({"status"}), "url"));
}

// With --insecure-listen it listens on every address, and callers still need a token.
TEST_F(Access, ListensBeyondThisMachineWithInsecure) {
  Started daemon({std::string(DROVER_BIN) + "/droverd", "--listen", "0.0.0.0:0",
                  "--insecure-listen", "--ready-fd", "1"},
                 flock_.environment, "");
  daemon.wait_for("ready");
  EXPECT_TRUE(text_of(flock_.json({"status"}), "url").starts_with("http://127.0.0.1:"));
  std::ifstream sockets("/proc/" + std::to_string(daemon.pid()) + "/net/tcp");
  const std::string all((std::istreambuf_iterator<char>(sockets)), {});
  char everywhere[32];
  std::snprintf(everywhere, sizeof everywhere, "00000000:%04X 00000000:0000 0A", port());
  EXPECT_NE(all.find(everywhere), std::string::npos) << everywhere << "\n" << all;
  EXPECT_EQ(ask_tcp({.target = "/api/runs"}).error(), "unauthorized");
  EXPECT_EQ(ask_tcp({.target = "/api/runs", .token = owner_token()}).status, 200);
  flock_.ok({"stop"});
  EXPECT_EQ(daemon.finish().code, 0);
}

// Public operations are answered without authentication. Totals over all runs are refused for a
// token of one scope, and for a run.
TEST_F(Tcp, PublicOperationsNeedNoTokenAndTotalsDo) {
  flock_.daemon();
  for (const std::string target : {"/", "/healthz", "/readyz", "/openapi.json"}) {
    EXPECT_EQ(ask_tcp({.target = target}).status, 200) << target;
  }
  const Reply front = ask_tcp({.target = "/"});
  EXPECT_EQ(front.header("Content-Type"), "text/html; charset=utf-8");
  EXPECT_NE(front.body.find("/openapi.json"), std::string::npos);
  EXPECT_NE(front.body.find("need a token"), std::string::npos);
  const Reply known = ask_tcp({.target = "/", .headers = log_in()});
  EXPECT_EQ(known.body.find("need a token"), std::string::npos);
  std::string of_run;
  run_with_token(of_run);
  const std::string scoped = token("read,run,cancel", "app");
  const std::string all = token("read");
  for (const std::string target : {"/metrics", "/api/status"}) {
    EXPECT_EQ(ask_tcp({.target = target}).error(), "unauthorized") << target;
    EXPECT_EQ(ask_tcp({.target = target, .token = scoped}).error(), "forbidden") << target;
    EXPECT_EQ(ask_tcp({.target = target, .token = of_run}).error(), "forbidden") << target;
    EXPECT_EQ(ask_tcp({.target = target, .token = all}).status, 200) << target;
    EXPECT_EQ(ask_tcp({.target = target, .headers = log_in()}).status, 200) << target;
  }
  // The commands that a run uses work without them.
  flock_.environment["DROVER_TOKEN"] = of_run;
  EXPECT_EQ(flock_.drover({"run", "--each", "--", "true"}, "a\nb\n").code, 0);
  EXPECT_EQ(flock_.drover({"doctor"}).code, 0);
  EXPECT_NE(flock_.drover({"status"}).err.find("in every scope"), std::string::npos);
  EXPECT_NE(flock_.drover({"stop"}).err.find("only the owner may stop the daemon"),
            std::string::npos);
  flock_.environment.erase("DROVER_TOKEN");
}

// A page on another port of this host is refused, although the browser sends the cookie.
TEST_F(Tcp, APageOnAnotherPortIsRefused) {
  flock_.daemon();
  const std::string session = log_in();
  for (const char* site : {"same-site", "cross-site"}) {
    EXPECT_EQ(
        ask_tcp({.target = "/api/runs", .headers = session + "Sec-Fetch-Site: " + site + "\r\n"})
            .error(),
        "foreign_origin");
  }
  for (const char* site : {"same-origin", "none"}) {
    EXPECT_EQ(
        ask_tcp({.target = "/api/runs", .headers = session + "Sec-Fetch-Site: " + site + "\r\n"})
            .status,
        200);
  }
}

// Listening beyond this machine needs TLS or --insecure-listen.
TEST_F(Access, DoesNotListenBeyondThisMachineWithoutTls) {
  for (const std::string address : {"0.0.0.0", "0.0.0.0:0", "[::]:0", "192.0.2.1:80"}) {
    const Output out = flock_.droverd({"--listen", address});
    EXPECT_EQ(out.code, 2) << address;
    EXPECT_NE(out.err.find("insecure_listen"), std::string::npos) << out.err;
  }
  for (const std::string address :
       {"example.com:80", "127.0.0.1:99999", "127.0.0.1:", "[::1", ""}) {
    const Output out = flock_.droverd({"--listen", address});
    EXPECT_EQ(out.code, 2) << address;
    EXPECT_NE(out.err.find("the listen address must be an IP address"), std::string::npos)
        << out.err;
  }
}

}  // namespace
}  // namespace drover::tests
