#include "api/runs/input.h"

#include <csignal>

#include "api/door_fixture.h"

namespace drover::api {
namespace {

using Input = Door;
constexpr std::string_view kBytes = "Content-Type: application/octet-stream\r\n";

// Bytes reach the run unchanged and in order; the answer says how many were accepted.
TEST_F(Input, ReachesTheRun) {
  const std::string id = submit();
  start(id);
  const std::string path = "/api/runs/" + id + "/input";
  const HttpAnswer answer = ask("POST", path, std::string_view("a\0\xff", 3), kBytes);
  EXPECT_EQ(answer.json(), (boost::json::object{{"run_id", id}, {"accepted", 3}}));
  EXPECT_EQ(ask("POST", path + "?eof=true", "z", "Content-Type: text/plain\r\n").status, 200U);
  EXPECT_EQ(on_loop([&] { return dispatcher_.input; }), std::string("a\0\xffz", 4));
  EXPECT_TRUE(on_loop([&] { return dispatcher_.input_ended; }));
}

// Input that cannot be accepted is refused with the reason.
TEST_F(Input, IsRefusedWithAReason) {
  const std::string id = submit();
  const std::string path = "/api/runs/" + id + "/input";
  expect_error(ask("POST", path, "x", kBytes), 409, "not_running", "run_id");
  expect_error(ask("POST", path, "x", "Content-Type: application/json\r\n"), 415,
               "unsupported_media_type", "Content-Type");
  expect_error(ask("POST", path, std::string(limits::kInputBytesMax + 1, 'x'), kBytes), 413,
               "input_too_large", "body");
  expect_error(ask("POST", path + "?eof=1", "x", kBytes), 400, "invalid_value", "eof");
  expect_error(ask("POST", "/api/runs/nope/input", "x", kBytes), 404, "not_found", "run_id");
}

// A signal is a name, with or without SIG, or a number; the error names anything else.
TEST_F(Input, SignalsAreNamesOrNumbers) {
  const std::string id = submit();
  const std::string path = "/api/runs/" + id + "/signal";
  for (const char* body : {R"({"signal":"USR1"})", R"({"signal":"SIGUSR1"})", R"({"signal":10})"}) {
    on_loop([&] { dispatcher_.last_signal = 0; });
    EXPECT_EQ(ask("POST", path, body).json().at("signal"), SIGUSR1) << body;
    EXPECT_EQ(on_loop([&] { return dispatcher_.last_signal; }), SIGUSR1);
  }
  for (const char* body : {"{}", R"({"signal":"NOPE"})", R"({"signal":0})", R"({"signal":1000})",
                           R"({"signal":null})", R"({"signal":""})"}) {
    expect_error(ask("POST", path, body), 400, "invalid_value", "signal");
  }
}

}  // namespace
}  // namespace drover::api
