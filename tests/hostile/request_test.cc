// Invalid requests: not HTTP, incomplete, with wrong lengths. Each is refused with a stable code,
// or its connection is closed; none changes anything.
#include <sys/socket.h>

#include <string>

#include "base/limits.h"
#include "tests/hostile/attacked_flock.h"

namespace drover::hostile {
namespace {

using Requests = AttackedFlock;
using namespace std::string_literals;

constexpr const char* kRun = R"({"command":["true"]})";

std::string post(const std::string& headers, const std::string& body) {
  return "POST /api/runs HTTP/1.1\r\nHost: d\r\n" + headers + "\r\n" + body;
}

struct Bytes {
  std::string bytes;
  int status;
  std::string code;
};

// H5: input that is not HTTP, or has a wrong length, is answered in the envelope.
TEST_F(Requests, ThatAreNotHttpAreRefused) {
  begin();
  const std::string json = "Content-Type: application/json\r\n";
  for (const Bytes& c : {
           Bytes{"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\r\n\r\n"s, 400, "malformed_request"},
           {"SSH-2.0-OpenSSH_9.2\r\n\r\n", 400, "malformed_request"},
           {"\0\0\0\0\0\0\r\n\r\n"s, 400, "malformed_request"},
           {"GET /api/status HTTP/9.9\r\n\r\n", 400, "malformed_request"},
           {"GET /api/status FTP/1.1\r\n\r\n", 400, "malformed_request"},
           {"GET /api/status\r\n\r\n", 400, "malformed_request"},
           {"GET /api/st\0tus HTTP/1.1\r\n\r\n"s, 400, "malformed_request"},
           {"GET /api/status HTTP/1.1\r\nNoColon\r\n\r\n", 400, "malformed_request"},
           {"GET /api/status HTTP/1.1\r\n: nameless\r\n\r\n", 400, "malformed_request"},
           {"GET /api/status HTTP/1.1\r\nA: \x01\x02\0\r\n\r\n"s, 400, "malformed_request"},
           {"GET /api/status HTTP/1.1\nHost: d\n\n", 400, "malformed_request"},
           {post(json + "Content-Length: -1\r\n", kRun), 400, "malformed_request"},
           {post(json + "Content-Length: 0x14\r\n", kRun), 400, "malformed_request"},
           {post(json + "Content-Length: 1e3\r\n", kRun), 400, "malformed_request"},
           {post(json + "Content-Length: 99999999999999999999999\r\n", kRun), 400,
            "malformed_request"},
           {post(json + "Content-Length: 20\r\nContent-Length: 2\r\n", kRun), 400,
            "malformed_request"},
           {post(json + "Content-Length: 20\r\nTransfer-Encoding: chunked\r\n", kRun), 400,
            "malformed_request"},
           {post(json + "Transfer-Encoding: chunked\r\nContent-Length: 20\r\n", kRun), 400,
            "malformed_request"},
           {post(json + "Content-Length: 20\r\nContent-Length: 20\r\n", kRun), 400,
            "malformed_request"},
           {post(json + "Content-Length: +20\r\n", kRun), 400, "malformed_request"},
           {post(json + "Content-Length: 20, 20\r\n", kRun), 400, "malformed_request"},
           {post(json + "Content-Length : 20\r\n", kRun), 400, "malformed_request"},
           {post(json + "Transfer-Encoding: gzip\r\n", ""), 400, "malformed_request"},
           {post(json + "Transfer-Encoding: identity\r\n", ""), 400, "malformed_request"},
           {post(json + "Transfer-Encoding: xchunked\r\n", ""), 400, "malformed_request"},
           {post(json + "Transfer-Encoding: chunked, identity\r\n", ""), 400, "malformed_request"},
           {post(json + "Transfer-Encoding: gzip, chunked\r\n", "0\r\n\r\n"), 400,
            "malformed_request"},
           {post(json + "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n",
                 "0\r\n\r\n"),
            400, "malformed_request"},
           {"POST /api/runs HTTP/1.0\r\n" + json + "Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
            400, "malformed_request"},
           {post(json + "Transfer-Encoding: chunked\r\n", "zz\r\n"), 400, "malformed_request"},
           {post(json + "Transfer-Encoding: chunked\r\n", "-1\r\n"), 400, "malformed_request"},
           {post(json + "Transfer-Encoding: chunked\r\n", "fffffffffffffffff\r\n"), 400,
            "malformed_request"},
           {post(json + "Transfer-Encoding: chunked\r\n", "7fffffffffffffff\r\n{"), 413,
            "body_too_large"},
           {post(json + "Content-Length: 9223372036854775807\r\n", "{"), 413, "body_too_large"},
           {"GET /" + std::string(1 << 20, 'x') + " HTTP/1.1\r\n\r\n", 431, "header_too_large"},
           {std::string(1 << 20, 'A'), 431, "header_too_large"},
       }) {
    const Refusal refusal = ask_raw(c.bytes);
    EXPECT_EQ(refusal.status, c.status) << c.bytes.substr(0, 200);
    EXPECT_EQ(refusal.code, c.code) << c.bytes.substr(0, 200);
  }
  expect_untouched();
}

// An unknown path, method or name is refused, however it is written.
TEST_F(Requests, ForUnknownPathsAreRefused) {
  begin();
  struct Case {
    std::string method, target;
    int status;
    std::string code;
  };
  for (const Case& c : {Case{"GET", "/index.html", 404, "route_not_found"},
                        {"GET", "/api", 404, "route_not_found"},
                        {"GET", "/api/runs/", 404, "not_found"},
                        {"GET", "/api/runs//logs", 404, "not_found"},
                        {"GET", "//api/runs", 404, "route_not_found"},
                        {"GET", "/api/../api/runs", 404, "route_not_found"},
                        {"GET", "/api/runs/..%2f..%2fetc", 404, "not_found"},
                        {"GET", "/api/runs/%00", 404, "not_found"},
                        {"GET", "/api/runs/%", 404, "not_found"},
                        {"GET", "/api/runs/%zz", 404, "not_found"},
                        {"GET", "/api/runs/%ff%fe", 404, "not_found"},
                        {"GET", "/api/runs/" + std::string(8'000, 'z'), 404, "not_found"},
                        {"GET", "/api/runs/@first", 404, "not_found"},
                        {"GET", "/api/runs/run_%27%20OR%201=1", 404, "not_found"},
                        {"DELETE", "/api/runs/*", 404, "not_found"},
                        {"POST", "/api/runs/%2e%2e/cancel", 404, "not_found"},
                        {"PUT", "/api/lanes/..%2fx", 400, "invalid_value"},
                        {"PUT", "/api/lanes/%20", 400, "invalid_value"},
                        {"BREW", "/api/runs", 405, "method_not_allowed"},
                        {"get", "/api/runs", 405, "method_not_allowed"},
                        {"CONNECT", "/api/runs", 405, "method_not_allowed"},
                        {"GET", "/api/runs?nonsense=1", 400, "unknown_parameter"},
                        {"GET", "/api/runs?limit=1&limit=2", 400, "invalid_value"},
                        {"GET", "/api/runs?scope=a%20b", 400, "invalid_value"},
                        {"GET", "/api/runs?limit=%zz", 400, "invalid_value"}}) {
    const std::string_view body = c.method == "PUT" ? R"({"limit":1})" : "";
    const Refusal refusal = ask(c.method, c.target, body);
    EXPECT_EQ(refusal.status, c.status) << c.method << " " << c.target.substr(0, 60);
    EXPECT_EQ(refusal.code, c.code) << c.method << " " << c.target.substr(0, 60);
  }
  expect_untouched();
}

// Only a body with the content type of JSON is read: a page of another origin can send all others.
TEST_F(Requests, OfAnotherTypeAreNotRead) {
  begin();
  for (const char* type :
       {"text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x",
        "application/jsonp", "application/json, text/plain", "json", "", " ", "*/*"}) {
    const std::string header = "Content-Type: " + std::string(type) + "\r\n";
    for (const char* path : {"/api/runs", "/api/cancel", "/api/stop"}) {
      const Refusal refusal = ask("POST", path, kRun, header);
      EXPECT_EQ(refusal.status, 415) << type;
      EXPECT_EQ(refusal.code, "unsupported_media_type") << type;
    }
  }
  expect_untouched();
}

// JSON that is too deep, cut off, or not text is refused.
TEST_F(Requests, WithInvalidJsonAreRefused) {
  begin();
  const std::string deep = R"({"command":)" + std::string(100'000, '[');
  for (const std::string& body :
       {std::string("nul"), std::string("{"), deep, deep + std::string(100'000, ']') + "}",
        std::string(kRun) + kRun, std::string("\xef\xbb\xbf") + kRun,
        std::string("{\"command\":[\"\xff\"]}"), std::string(R"({"command":["\ud800"]})"),
        std::string("{'command':['true']}"), std::string(R"({"command":["true"],})"),
        std::string("{\"command\":[\"true\"]}\0", 21), std::string(1 << 20, ' '),
        std::string(R"("{}")"), std::string("null")}) {
    const Refusal refusal = ask("POST", "/api/runs", body);
    EXPECT_EQ(refusal.status, 400) << body.substr(0, 60);
    EXPECT_EQ(refusal.code, "malformed_json") << body.substr(0, 60);
    EXPECT_EQ(refusal.param, "body");
  }
  expect_untouched();
}

// A request cut off anywhere has no effect.
TEST_F(Requests, ThatAreCutOffHaveNoEffect) {
  begin();
  const std::string whole = race::request_of("POST", "/api/runs", kRun);
  for (size_t bytes = 0; bytes < whole.size(); ++bytes) {
    const Refusal refusal = ask_raw(whole.substr(0, bytes));
    EXPECT_EQ(refusal.status, 0) << bytes << ": " << refusal.code;
  }
  expect_untouched();
}

// H5: pipelined requests are each answered in order; an invalid one ends the connection, and the
// bytes after it are never read as a request.
TEST_F(Requests, ThatArePipelinedAreAnsweredInOrder) {
  begin();
  race::Client client = connect();
  std::string ahead;
  for (int i = 0; i < 200; ++i)
    ahead += race::request_of("GET", "/api/runs/none-" + std::to_string(i));
  client.send(ahead + "NONSENSE\r\n\r\n" + race::request_of("POST", "/api/runs", kRun));
  for (int i = 0; i < 200; ++i) {
    const race::HttpAnswer answer = client.take();
    EXPECT_EQ(answer.status, 404);
    EXPECT_NE(refusal_in(answer).message.find("none-" + std::to_string(i) + ";"),
              std::string::npos);
  }
  EXPECT_EQ(refusal_in(client.take()).code, "malformed_request");
  EXPECT_EQ(client.take().status, 0);
  // The same with a too short Content-Length: the rest of the body is not a request either.
  const std::string hidden = race::request_of("POST", "/api/runs", kRun);
  race::Client liar = connect();
  liar.send(post("Content-Type: application/json\r\nContent-Length: 2\r\n", "{}x" + hidden));
  EXPECT_EQ(refusal_in(liar.take()).code, "invalid_value");
  EXPECT_EQ(refusal_in(liar.take()).status, 405);  // "xPOST" is an unknown method.
  expect_untouched();
}

// A body of 100 MB is refused while it is being sent, and needs no memory.
TEST_F(Requests, OfAHundredMegabytesNeedNoMemory) {
  begin();
  const pid_t daemon = flock_.daemon();
  const long before = status_of(daemon, "VmRSS");
  const std::string headers = "Content-Type: application/json\r\n";
  const std::string piece(1 << 20, 'x');
  for (const std::string& framing : {std::string("Content-Length: 104857600\r\n"),
                                     std::string("Transfer-Encoding: chunked\r\n")}) {
    const bool chunked = framing.starts_with("Transfer");
    race::Client client = connect();
    client.send(post(headers + framing, ""));
    for (int i = 0; i < 100; ++i) client.send(chunked ? "100000\r\n" + piece + "\r\n" : piece);
    const Refusal refusal = refusal_in(client.take());
    EXPECT_EQ(refusal.status, 413);
    EXPECT_EQ(refusal.code, "body_too_large");
  }
  EXPECT_LT(status_of(daemon, "VmRSS"),
            before + 3 * static_cast<long>(limits::kBodyBytesMax) / 1024);
  expect_untouched();
}

}  // namespace
}  // namespace drover::hostile
