// A run's terminal through the real server: requested, described, resized, refused.
#include <gtest/gtest.h>

#include "api/door_fixture.h"

namespace drover::api {
namespace {

using TerminalDoor = Door;

// S1: a terminal is requested by word, by flag or by size. Its TERM is a common one, whatever the
// daemon's own is, and the caller's TERM wins.
TEST_F(TerminalDoor, IsRequested) {
  struct Case {
    const char* fields;
    TerminalSize size;
  };
  for (const auto& [fields, size] : std::to_array<Case>({
           {R"("stdin":"pty")", {24, 80}},
           {R"("pty":true)", {24, 80}},
           {R"("pty":{})", {24, 80}},
           {R"("pty":{"cols":200})", {24, 200}},
           {R"("stdin":"pty","pty":{"rows":1,"cols":1})", {1, 1}},
           {R"("pty":{"rows":500,"cols":1000})", {500, 1000}},
       })) {
    const std::string body = std::string(R"({"command":["vim"],)") + fields + "}";
    ASSERT_EQ(ask("POST", "/api/runs", body).status, 202U) << fields;
    EXPECT_EQ(dispatcher_.last.spec.stdin_mode, run::Stdin::pty) << fields;
    EXPECT_EQ(dispatcher_.last.spec.terminal, size) << fields;
    EXPECT_NE(std::ranges::find(dispatcher_.last.environment, "TERM=xterm-256color"),
              dispatcher_.last.environment.end());
  }
  ask("POST", "/api/runs", R"({"command":["vim"],"pty":true,"env":{"TERM":"vt100"}})");
  EXPECT_NE(std::ranges::find(dispatcher_.last.environment, "TERM=vt100"),
            dispatcher_.last.environment.end());
  ask("POST", "/api/runs", R"({"command":["vim"],"pty":false})");
  EXPECT_EQ(dispatcher_.last.spec.stdin_mode, run::Stdin::none);
}

// H6: the error for an invalid terminal names the field.
TEST_F(TerminalDoor, IsRefusedByName) {
  struct Case {
    const char* fields;
    const char* param;
  };
  for (const auto& [fields, param] : std::to_array<Case>({
           {R"("pty":7)", "pty"},
           {R"("pty":{"rows":0})", "rows"},
           {R"("pty":{"rows":501})", "rows"},
           {R"("pty":{"rows":-1})", "rows"},
           {R"("pty":{"rows":24.5})", "rows"},
           {R"("pty":{"cols":1001})", "cols"},
           {R"("pty":{"cols":9223372036854775807})", "cols"},
           {R"("pty":{"depth":3})", "pty"},
           {R"("stdin":"pipe","pty":true)", "stdin"},
           {R"("stdin":"tty")", "stdin"},
       })) {
    const HttpAnswer answer =
        ask("POST", "/api/runs", std::string(R"({"command":["vim"],)") + fields + "}");
    EXPECT_EQ(answer.status, 400U) << fields;
    EXPECT_NE(answer.body.find(std::string(R"("param":")") + param + '"'), std::string::npos)
        << fields << answer.body;
  }
}

// A terminal is resized by its own request, and together with input.
TEST_F(TerminalDoor, IsResized) {
  const std::string id = submit();
  EXPECT_EQ(ask("POST", "/api/runs/" + id + "/resize", R"({"rows":40,"cols":120})").status, 200U);
  EXPECT_EQ(dispatcher_.last_size, (TerminalSize{40, 120}));
  for (const char* body : {"{}", R"({"rows":40})", R"({"rows":0,"cols":80})",
                           R"({"rows":40,"cols":70000})", R"({"rows":40,"cols":80,"x":1})"}) {
    EXPECT_EQ(ask("POST", "/api/runs/" + id + "/resize", body).status, 400U) << body;
  }
  for (const char* query : {"rows=40", "cols=9", "rows=0&cols=80", "rows=x&cols=80"}) {
    EXPECT_EQ(
        ask("POST", "/api/runs/" + id + "/input?" + query, "x", "Content-Type: text/plain\r\n")
            .status,
        400U)
        << query;
  }
  EXPECT_EQ(dispatcher_.last_size, (TerminalSize{40, 120}));
}

}  // namespace
}  // namespace drover::api
