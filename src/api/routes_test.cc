#include "api/routes.h"

#include <algorithm>

#include "api/core_routes.h"
#include "api/door_fixture.h"
#include "wire/inbox/operations.h"
#include "wire/play/operations.h"
#include "wire/triggers/operations.h"

namespace drover::api {
namespace {

using Routes = Door;

// Each operation is found by its own method and path, and by nothing else.
TEST(Match, FindsEveryOperation) {
  const std::vector<RouteGroup> routes = all_routes();
  for (const wire::Operation* each : all_operations()) {
    const wire::Operation& operation = *each;
    std::string path(operation.path);
    for (const char* hole : {"{id}", "{lane}"}) {
      if (const size_t at = path.find(hole); at != std::string::npos) {
        path.replace(at, std::string_view(hole).size(), "a%2Fb");
      }
    }
    const Match found = match(routes, operation.method, path);
    ASSERT_NE(found.route, nullptr) << path;
    EXPECT_EQ(found.route->operation, &operation) << path;
    if (path != operation.path) EXPECT_EQ(found.subject, "a/b");
    const Match more = match(routes, operation.method, path + "/and/still/more");
    EXPECT_EQ(more.route != nullptr, operation.takes_rest) << path;
  }
  EXPECT_TRUE(match(routes, "GET", "//").allow.empty());
  EXPECT_TRUE(match(routes, "GET", "").allow.empty());
  EXPECT_TRUE(match(routes, "GET", "/api/runs/x/logs/").allow.empty());
  EXPECT_EQ(match(routes, "PATCH", "/api/runs").allow, "POST, GET, HEAD, OPTIONS");
}

// A daemon without a room has none of the room's operations, and all others as before.
TEST(Match, WorksWithoutARoom) {
  const std::vector<RouteGroup> without = routes_with({});
  const std::vector<RouteGroup> with = all_routes();
  for (const wire::Operation* operation : all_operations()) {
    const bool of_room = std::ranges::count(wire::play::kOperations, operation) == 1 ||
                         std::ranges::count(wire::inbox::kOperations, operation) == 1 ||
                         std::ranges::count(wire::triggers::kOperations, operation) == 1;
    const Match found = match(without, operation->method, operation->path);
    EXPECT_EQ(found.route == nullptr, of_room) << operation->path;
    if (!of_room) {
      EXPECT_EQ(found.route->operation, operation);
      EXPECT_EQ(match(with, operation->method, operation->path).route->operation, operation);
    }
  }
}

// H5: an unknown path, a wrong method and an unknown parameter each have their error, in the
// envelope. An unknown path is not reported as an unknown run.
TEST_F(Routes, RefuseInTheEnvelope) {
  expect_error(ask("GET", "/nothing"), 404, "route_not_found", "path");
  expect_error(ask("GET", "/api/runs/nothing"), 404, "not_found", "run_id");
  const HttpAnswer wrong = ask("PUT", "/api/runs");
  expect_error(wrong, 405, "method_not_allowed", "method");
  EXPECT_EQ(wrong.headers.at("allow"), "POST, GET, HEAD, OPTIONS");
  expect_error(ask("GET", "/api/runs?limit=3&colour=red"), 400, "unknown_parameter", "colour");
  expect_error(ask("GET", "/api/runs?limit=%zz"), 400, "invalid_value", "limit");
}

// HEAD answers like GET without the body; OPTIONS lists the methods of a path.
TEST_F(Routes, AnswerHeadAndOptions) {
  Client one = client();
  one.ask("HEAD", "/api/status");
  const HttpAnswer head = one.answer(true);
  EXPECT_EQ(head.status, 200U);
  EXPECT_NE(head.headers.at("content-length"), "0");
  one.ask("OPTIONS", "/api/lanes");  // On the same connection: HEAD sent no body.
  const HttpAnswer options = one.answer();
  EXPECT_EQ(options.status, 204U);
  EXPECT_EQ(options.headers.at("allow"), "GET, HEAD, OPTIONS");
  EXPECT_TRUE(options.headers.contains("x-request-id"));
  expect_error(ask("OPTIONS", "/nothing"), 404, "route_not_found", "path");
}

// A body needs the content type of JSON: a page of another origin cannot send that without a
// preflight.
TEST_F(Routes, RequireTheContentTypeOfJson) {
  const char* body = R"({"command":["true"]})";
  for (const char* type : {"Content-Type: text/plain\r\n", "Content-Type: \r\n",
                           "Content-Type: application/x-www-form-urlencoded\r\n"}) {
    expect_error(ask("POST", "/api/runs", body, type), 415, "unsupported_media_type",
                 "Content-Type");
  }
  EXPECT_EQ(
      ask("POST", "/api/runs", body, "Content-Type: Application/JSON; charset=utf-8\r\n").status,
      202U);
}

// A bug is answered with an error that reveals no internals.
TEST_F(Routes, AnswerEvenAfterABug) {
  on_loop([&] { dispatcher_.throws = true; });
  const HttpAnswer answer = ask("POST", "/api/runs", R"({"command":["true"]})");
  expect_error(answer, 500, "internal_error", "");
  EXPECT_EQ(answer.body.find("a bug"), std::string::npos);
}

}  // namespace
}  // namespace drover::api
