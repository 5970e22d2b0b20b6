#include "triggers/poll/fetcher.h"

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/in.h>

#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/cancellation_signal.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include "triggers/poll/feed.h"
#include "triggers/poll/loopback_server_fixture.h"

namespace drover::triggers {
namespace {

using namespace std::chrono_literals;

bool is_first_loopback(const sockaddr& address) {
  return address_text(address) == "127.0.0.1";
}

class FetcherTest : public testing::Test {
 protected:
  FetcherTest() { open({}); }

  void open(FetchLimits limits, AddressRule rule = is_public) {
    fetcher = std::move(Fetcher::open(loop.get_executor(), limits, std::move(rule)).value());
  }

  // Runs the loop until the fetch has finished.
  Result<Fetched> get(FetchRequest request) {
    std::optional<Result<Fetched>> out;
    asio::co_spawn(loop, fetcher->get(std::move(request)),
                   [&](std::exception_ptr thrown, Result<Fetched> result) {
                     EXPECT_FALSE(thrown);
                     out = std::move(result);
                   });
    while (!out && loop.run_one() > 0) {
    }
    return out ? std::move(*out) : fail(ErrorCode::corrupt, "the loop is idle", "");
  }
  Result<Fetched> get(const std::string& path) {
    return get(FetchRequest{.url = server.url(path), .allow_private = true});
  }
  std::string reason(const std::string& path) {
    const auto fetched = get(path);
    return fetched ? "fetched " + std::to_string(fetched->body.size()) : fetched.error().reason;
  }
  void redirect(const std::string& from, const std::string& to) {
    server.on(from, response("302 Found", "Location: " + to + "\r\n", "moved"));
  }

  asio::io_context loop;
  LoopbackServer server{loop};
  std::unique_ptr<Fetcher> fetcher;
};

// A plain answer arrives whole, and the request says who asks and carries nothing else.
TEST_F(FetcherTest, GetsABody) {
  server.on("/a", response("200 OK",
                           "ETag: \"1\"\r\nLast-Modified: then\r\nContent-Type: text/xml\r\n"
                           "Set-Cookie: a=b\r\n",
                           "hello"));
  const auto fetched = get("/a");
  ASSERT_TRUE(fetched) << fetched.error().message;
  EXPECT_EQ(fetched->body, "hello");
  EXPECT_EQ(fetched->etag, "\"1\"");
  EXPECT_EQ(fetched->last_modified, "then");
  EXPECT_EQ(fetched->content_type, "text/xml");
  EXPECT_EQ(fetched->url, server.url("/a"));
  EXPECT_FALSE(fetched->not_modified);
  ASSERT_TRUE(get("/a"));
  for (const std::string& head : server.requests()) {
    EXPECT_NE(head.find("User-Agent: drover/" DROVER_VERSION "\r\n"), std::string::npos) << head;
    EXPECT_EQ(head.find("Cookie"), std::string::npos) << head;
    EXPECT_EQ(head.find("If-"), std::string::npos) << head;
  }
}

// With the validators of a copy, an unchanged document is not sent again; a changed one is.
TEST_F(FetcherTest, AsksWhetherItChanged) {
  std::string etag = "\"1\"";
  server.on("/a", [&](Exchange& exchange) -> asio::awaitable<void> {
    const bool same = exchange.header("If-None-Match") == etag;
    co_await exchange.send(response(same ? "304 Not Modified" : "200 OK", "ETag: " + etag + "\r\n",
                                    same ? "" : "body"));
  });
  const auto first = get("/a");
  ASSERT_TRUE(first);
  FetchRequest again{.url = server.url("/a"), .etag = first->etag, .allow_private = true};
  const auto same = get(again);
  ASSERT_TRUE(same);
  EXPECT_TRUE(same->not_modified);
  EXPECT_EQ(same->etag, "\"1\"");
  EXPECT_EQ(same->body, "");
  etag = "\"2\"";
  const auto changed = get(again);
  ASSERT_TRUE(changed);
  EXPECT_FALSE(changed->not_modified);
  EXPECT_EQ(changed->body, "body");
  EXPECT_EQ(changed->etag, "\"2\"");
}

// Last-Modified works alike. A stored validator that would inject a header is not sent.
TEST_F(FetcherTest, SendsOnlyRealValidators) {
  server.on("/a", response("304 Not Modified", "", ""));
  const auto same = get(FetchRequest{
      .url = server.url("/a"), .last_modified = "Wed, 18 Nov 2026", .allow_private = true});
  ASSERT_TRUE(same);
  EXPECT_TRUE(same->not_modified);
  EXPECT_NE(server.requests()[0].find("If-Modified-Since: Wed, 18 Nov 2026"), std::string::npos);
  const auto injected =
      get(FetchRequest{.url = server.url("/a"), .etag = "x\r\nEvil: 1", .allow_private = true});
  ASSERT_FALSE(injected);  // A 304 that nobody asked for is refused.
  EXPECT_EQ(status_of(injected.error()), 304);
  EXPECT_EQ(server.requests()[1].find("Evil"), std::string::npos);
}

// A compressed body is unpacked; a bomb stops at the bound.
TEST_F(FetcherTest, UnpacksWithinTheBound) {
  server.on("/ok", response("200 OK", "Content-Encoding: gzip\r\n", gzip("hello")));
  EXPECT_EQ(get("/ok")->body, "hello");
  const std::string bomb = gzip_of_zeros(8'000'000);
  ASSERT_LT(bomb.size(), 60'000u);
  server.on("/bomb", response("200 OK", "Content-Encoding: gzip\r\n", bomb));
  EXPECT_EQ(reason("/bomb"), "too_large");
  server.on("/packed", response("200 OK", "Content-Encoding: gzip\r\n", gzip_of_zeros(1'000'000)));
  EXPECT_EQ(reason("/packed"), "fetched 1000000");
  server.on("/bad", response("200 OK", "Content-Encoding: gzip\r\n", "no gzip at all"));
  EXPECT_EQ(reason("/bad"), "broken_response");
  server.on("/short", response("200 OK", "Content-Encoding: gzip\r\n", gzip("hello").substr(0, 8)));
  EXPECT_NE(reason("/short"), "fetched 5");
}

// A body is stopped at the bound, whether its length was announced or not, and exactly there.
TEST_F(FetcherTest, BoundsTheSize) {
  open({.bytes_max = 1000});
  server.on("/exact", response("200 OK", "", std::string(1000, 'x')));
  server.on("/over", response("200 OK", "", std::string(1001, 'x')));
  server.on("/claim", "HTTP/1.1 200 OK\r\nContent-Length: 10000000000\r\n\r\nx");
  server.on("/claim-negative", "HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\nx");
  server.on("/endless", [](Exchange& exchange) -> asio::awaitable<void> {
    bool open = co_await exchange.send("HTTP/1.1 200 OK\r\n\r\n");
    while (open) open = co_await exchange.send(std::string(500, 'x'));
  });
  server.on("/headers", [](Exchange& exchange) -> asio::awaitable<void> {
    bool open = co_await exchange.send("HTTP/1.1 200 OK\r\n");
    while (open) open = co_await exchange.send("A: " + std::string(500, 'x') + "\r\n");
  });
  EXPECT_EQ(reason("/exact"), "fetched 1000");
  for (const char* path : {"/over", "/claim", "/endless", "/headers"}) {
    EXPECT_EQ(reason(path), "too_large") << path;
  }
  EXPECT_EQ(reason("/claim-negative"), "broken_response");
}

// A server that says nothing, never ends or drips is stopped by a bound on time or on speed.
TEST_F(FetcherTest, BoundsTheTime) {
  server.on("/silent", [](Exchange& e) -> asio::awaitable<void> { co_await e.wait_for_close(); });
  const auto drip = [](Exchange& exchange) -> asio::awaitable<void> {
    bool open = co_await exchange.send("HTTP/1.1 200 OK\r\n\r\n");
    while (open) {
      co_await exchange.pause();
      open = co_await exchange.send("x");
    }
  };
  server.on("/drip", drip);
  server.on("/drip-head", [](Exchange& exchange) -> asio::awaitable<void> {
    bool open = co_await exchange.send("HTTP/1.1 200 OK\r\n");
    while (open) {
      co_await exchange.pause();
      open = co_await exchange.send("A: b\r\n");
    }
  });
  open({.time_max = 150ms});
  for (const char* path : {"/silent", "/drip", "/drip-head"}) {
    EXPECT_EQ(reason(path), "too_slow") << path;
  }
  open({.time_max = 60s, .bytes_per_second_min = 1000, .slow_time_max = 1s});
  EXPECT_EQ(reason("/drip"), "too_slow");
}

// Redirects are followed to the end; for ever, in a circle, or with an endless body they are not.
TEST_F(FetcherTest, BoundsRedirects) {
  open({.bytes_max = 100'000});
  server.on("/end", response("200 OK", "ETag: \"end\"\r\n", "end"));
  for (int i = 1; i <= 6; ++i) {
    redirect("/" + std::to_string(i), i == 1 ? "/end" : "/" + std::to_string(i - 1));
  }
  const auto fetched = get("/5");
  ASSERT_TRUE(fetched) << fetched.error().message;
  EXPECT_EQ(fetched->body, "end");
  EXPECT_EQ(fetched->etag, "\"end\"");
  EXPECT_EQ(fetched->url, server.url("/end"));
  EXPECT_EQ(reason("/6"), "too_many_redirects");
  redirect("/circle", "/circle");
  EXPECT_EQ(reason("/circle"), "too_many_redirects");
  server.on("/endless", [](Exchange& exchange) -> asio::awaitable<void> {
    bool open = co_await exchange.send("HTTP/1.1 302 Found\r\nLocation: /end\r\n\r\n");
    while (open) open = co_await exchange.send(std::string(5000, 'x'));
  });
  EXPECT_NE(reason("/endless"), "the loop is idle");
}

// A redirect to a file, another scheme or a URL with a password is not followed.
TEST_F(FetcherTest, RefusesRedirectsToOtherSchemes) {
  for (const std::string to : {"file:///etc/passwd", "ftp://127.0.0.1/x", "gopher://127.0.0.1/x",
                               "dict://127.0.0.1/x", "http://u:p@127.0.0.1/", "http://"}) {
    redirect("/r", to);
    EXPECT_EQ(reason("/r"), "redirect_not_allowed") << to;
  }
}

// The rule judges the address of each connection: of a URL, of a name, and of a redirect.
TEST_F(FetcherTest, RefusesPrivateAddresses) {
  server.on("/a", response("200 OK", "", "secret"));
  const std::string port = server.url("").substr(std::string("http://127.0.0.1").size());
  for (const std::string host : {"127.0.0.1", "localhost", "2130706433", "[::1]", "0.0.0.0"}) {
    const auto fetched = get(FetchRequest{.url = "http://" + host + port + "/a"});
    ASSERT_FALSE(fetched) << host;
    EXPECT_EQ(fetched.error().reason, "address_not_allowed") << host;
  }
  EXPECT_TRUE(server.requests().empty());
  EXPECT_EQ(reason("/a"), "fetched 6");
  // Here 127.0.0.1 stands for the public internet, and 127.0.0.2 for the private network.
  open({}, is_first_loopback);
  LoopbackServer inside(loop, "127.0.0.2");
  inside.on("/a", response("200 OK", "", "secret"));
  redirect("/r", inside.url("/a"));
  const auto fetched = get(FetchRequest{.url = server.url("/r")});
  ASSERT_FALSE(fetched);
  EXPECT_EQ(fetched.error().reason, "address_not_allowed");
  EXPECT_NE(fetched.error().message.find("127.0.0.2"), std::string::npos);
  EXPECT_TRUE(inside.requests().empty());
  EXPECT_EQ(reason("/r"), "fetched 6");  // With allow_private.
}

// A connection that an allowed fetch made is not used by one that is not allowed.
TEST_F(FetcherTest, SharesNoConnections) {
  server.on("/a", [](Exchange& exchange) -> asio::awaitable<void> {
    co_await exchange.send(response("200 OK", "Connection: keep-alive\r\n", "secret"));
    co_await exchange.wait_for_close();
  });
  EXPECT_EQ(reason("/a"), "fetched 6");
  EXPECT_EQ(get(FetchRequest{.url = server.url("/a")}).error().reason, "address_not_allowed");
}

// Every other status is an error with its code, and with the time that the server asks for.
TEST_F(FetcherTest, ReportsStatuses) {
  for (const char* status : {"500", "503", "404", "410", "401", "429", "204", "206", "300"}) {
    server.on("/s", response(std::string(status) + " X", "", ""));
    const auto fetched = get("/s");
    ASSERT_FALSE(fetched) << status;
    EXPECT_EQ(fetched.error().reason, "http_status");
    EXPECT_EQ(status_of(fetched.error()), std::stoi(status));
    EXPECT_EQ(retry_after_ms_of(fetched.error()), std::nullopt);
  }
  server.on("/s", response("503 X", "Retry-After: 120\r\n", "busy"));
  EXPECT_EQ(retry_after_ms_of(get("/s").error()), 120'000);
  server.on("/s", response("429 X", "Retry-After: 99999999999\r\n", ""));
  EXPECT_EQ(retry_after_ms_of(get("/s").error()), kServerPauseMaxMs);
  server.on("/s", response("429 X", "Retry-After: soon\r\n", ""));
  EXPECT_EQ(retry_after_ms_of(get("/s").error()), std::nullopt);
}

// Broken answers, slow servers and missing servers have different reasons.
TEST_F(FetcherTest, ReportsBrokenAnswers) {
  server.on("/garbage", "\x01\x02\x03 garbage\r\n\r\n");
  server.on("/empty", "");
  server.on("/short", "HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhalf");
  server.on("/chunk", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nZZ\r\nx\r\n0\r\n\r\n");
  server.on("/http09", "<html>no head</html>");
  for (const char* path : {"/garbage", "/empty", "/short", "/chunk", "/http09"}) {
    EXPECT_EQ(reason(path), "broken_response") << path;
  }
  server.on("/long", "HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nfour and more");
  EXPECT_EQ(get("/long")->body, "four");
  // A label of 64 characters is not a name: the lookup fails without a network.
  const auto no_name = get(FetchRequest{.url = "http://" + std::string(64, 'a') + ".invalid/"});
  EXPECT_EQ(no_name.error().reason, "unresolvable");
  const std::string closed = LoopbackServer(loop).url("/");
  EXPECT_EQ(get(FetchRequest{.url = closed, .allow_private = true}).error().reason, "unreachable");
  std::string secure = server.url("/empty");
  secure.replace(0, 4, "https");
  EXPECT_EQ(get(FetchRequest{.url = secure, .allow_private = true}).error().reason, "tls");
  EXPECT_EQ(get(FetchRequest{.url = "file:///etc/passwd"}).error().param, "url");
}

// A fetched billion laughs is a short feed.
TEST_F(FetcherTest, FetchesABombOfEntities) {
  server.on("/feed",
            response("200 OK", "",
                     "<!DOCTYPE r [<!ENTITY a \"ha\"><!ENTITY b \"&a;&a;\">]><rss><channel>"
                     "<item><title>&b;</title></item></channel></rss>"));
  EXPECT_EQ(parse_feed(get("/feed")->body)->items.at(0).title, "&b;");
}

// Only some fetches run at once, fewer to one host; the others get their turn.
TEST_F(FetcherTest, TakesTurns) {
  open({.at_once_max = 3, .per_host_max = 2, .waiting_max = 20});
  LoopbackServer other(loop, "127.0.0.2");
  const auto slow = [](Exchange& exchange) -> asio::awaitable<void> {
    co_await exchange.pause();
    co_await exchange.send(response("200 OK", "", "x"));
  };
  server.on("/a", slow);
  other.on("/a", slow);
  int fetched = 0;
  int refused = 0;
  for (int i = 0; i < 24; ++i) {
    const std::string url = i < 12 ? server.url("/a") : other.url("/a");
    asio::co_spawn(loop, fetcher->get({.url = url, .allow_private = true}),
                   [&](std::exception_ptr, Result<Fetched> result) {
                     if (result) ++fetched;
                     if (!result && result.error().reason == "too_many_fetches") ++refused;
                   });
  }
  while (fetched + refused < 24 && loop.run_one() > 0) {
  }
  EXPECT_EQ(refused, 1);
  EXPECT_EQ(fetched, 23);
  EXPECT_EQ(server.most_at_once(), 2u);
  EXPECT_LE(other.most_at_once(), 2u);
}

// A canceled caller cancels its fetch, running or waiting, and its turn passes on.
TEST_F(FetcherTest, IsCanceledWithItsCaller) {
  open({.at_once_max = 1});
  server.on("/silent", [](Exchange& e) -> asio::awaitable<void> { co_await e.wait_for_close(); });
  server.on("/a", response("200 OK", "", "x"));
  std::vector<std::string> reasons;
  asio::cancellation_signal first;
  asio::cancellation_signal second;
  for (asio::cancellation_signal* signal : {&first, &second}) {
    asio::co_spawn(loop, fetcher->get({.url = server.url("/silent"), .allow_private = true}),
                   asio::bind_cancellation_slot(
                       signal->slot(), [&](std::exception_ptr thrown, Result<Fetched> result) {
                         reasons.push_back(thrown ? "thrown" : result.error().reason);
                       }));
  }
  while (server.requests().empty() && loop.run_one() > 0) {
  }
  second.emit(asio::cancellation_type::terminal);
  first.emit(asio::cancellation_type::terminal);
  EXPECT_EQ(reason("/a"), "fetched 1");
  EXPECT_EQ(reasons, (std::vector<std::string>{"canceled", "canceled"}));
}

// When the fetcher is destroyed, its fetches finish as canceled; so may the loop be, before them.
TEST_F(FetcherTest, MayBeDestroyedFirst) {
  server.on("/silent", [](Exchange& e) -> asio::awaitable<void> { co_await e.wait_for_close(); });
  std::string result;
  asio::co_spawn(loop, fetcher->get({.url = server.url("/silent"), .allow_private = true}),
                 [&](std::exception_ptr, Result<Fetched> got) { result = got.error().reason; });
  while (server.requests().empty() && loop.run_one() > 0) {
  }
  fetcher.reset();
  while (result.empty() && loop.run_one() > 0) {
  }
  EXPECT_EQ(result, "canceled");
  asio::io_context short_loop;
  LoopbackServer near(short_loop);
  auto left = Fetcher::open(short_loop.get_executor());
  asio::co_spawn(short_loop, (*left)->get({.url = near.url("/x"), .allow_private = true}),
                 [](std::exception_ptr, Result<Fetched>) {});
  short_loop.run_one();
}

}  // namespace
}  // namespace drover::triggers
