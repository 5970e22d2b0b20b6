// The pack is blocked (P1) by blocking diagnostics on either stream, in any layout, and by output
// that cannot be read, and by nothing else.
#include <algorithm>
#include <filesystem>

#include "play/limits.h"
#include "tests/play/game.h"

namespace drover::tests {
namespace {

class Blocking : public Game {
 protected:
  // Plays with a validation that prints the file `out` to stdout and `err` to stderr.
  boost::json::object play_printing(const std::string& out, const std::string& err) {
    for (const char* witness : {"packed", "argv"}) std::remove(path(witness).c_str());
    write("out", out);
    write("err", err);
    write_project(step("build", "mkdir -p build") + step("validate", "cat out; cat err >&2") +
                  step("pack", "touch packed"));
    add();
    EXPECT_EQ(play().status, 202);
    return until_rest();
  }
  void expect_blocked(const std::string& out, const std::string& err, const std::string& code) {
    const auto end = play_printing(out, err);
    const std::string said = (out + err).substr(0, 120);
    EXPECT_EQ(text_of(end, "state"), "prepare_failed") << said;
    EXPECT_EQ(text_of(end, "code"), code) << said;
    EXPECT_FALSE(exists("packed")) << said;
    EXPECT_FALSE(exists("argv")) << said;
    // The log and the feed say that the pack was blocked, and why.
    EXPECT_NE(text_of(end, "message").find("blocked the pack"), std::string::npos)
        << text_of(end, "message");
    EXPECT_EQ(log().back(), "play│" + text_of(end, "message"));
    EXPECT_EQ(feed().back(), "prepare_failed pack-validation " + code);
  }
};

constexpr const char* kBlocks =
    "{\"severity\":\"error\",\"message\":\"no way out\",\"blocking\":true}\n";

// P1: a blocking diagnostic blocks on either stream, with any bytes in it, over several lines, up
// to the longest one.
TEST_F(Blocking, DiagnosticsBlockOnEitherStreamInAnyLayout) {
  const std::string pretty =
      "{\n  \"severity\": \"error\",\n  \"message\": \"no way out\",\n  \"blocking\": true\n}\n";
  for (const std::string& said :
       {std::string(kBlocks), pretty, "\xef\xbb\xbf" + pretty,
        "\x1b[31m" + std::string(kBlocks) + "\x1b[0m", std::string("\0checking\r", 10) + kBlocks,
        "{\"severity\":\"error\",\"message\":\"no\xff way\",\"x\":\"" +
            std::string(play::kDiagnosticBytesMax - 200, 'x') + "\",\"blocking\":true}\n"}) {
    expect_blocked(said, "ordinary\n", "blocked");
    expect_blocked("ordinary\n", said, "blocked");
  }
}

// P1: text that looks like a diagnostic and cannot be read blocks, and the message says so.
TEST_F(Blocking, UnreadableDiagnosticsBlock) {
  for (const std::string& said :
       {std::string(R"({"severity":"error","message":"cut)"),
        std::string("{\"severity\": error, \"message\": \"m\"}\n"),
        std::string("{\n\"severity\": \"error\",\n\"message\": oops\n}\nall fine\n"),
        R"({"severity":"error","message":"m","deep":)" + std::string(5'000, '[') + "\n",
        R"({"severity":"error","message":")" + std::string(play::kDiagnosticBytesMax, 'x')}) {
    expect_blocked(said, "", "validation_unreadable");
    expect_blocked("", said, "validation_unreadable");
  }
}

// P1: a longer diagnostic is not read, and blocks even if it says that it does not; the message
// says how long it may be.
TEST_F(Blocking, ATooLongDiagnosticBlocks) {
  const std::string said = R"({"severity":"info","blocking":false,"message":")" +
                           std::string(play::kDiagnosticBytesMax, 'x') + "\"}\n";
  expect_blocked(said, "", "validation_unreadable");
  expect_blocked("", said, "validation_unreadable");
  EXPECT_NE(text_of(session(), "message").find(std::to_string(play::kDiagnosticBytesMax)),
            std::string::npos)
      << text_of(session(), "message");
}

// P1: ordinary output on both streams does not block, and neither does a diagnostic that says so.
TEST_F(Blocking, OrdinaryOutputDoesNotBlock) {
  const std::string chatter =
      "checking {3} levels\n{\n  not json\n}\n{\"a\": [1]}\n{oops}\n\x1b[32mok\x1b[0m\r\n\xff\n"
      "{\"severity\":\"error\",\"message\":\"m\",\"blocking\":false}\nthe field \"blocking\"\n{";
  const auto end = play_printing(chatter, chatter);
  EXPECT_EQ(text_of(end, "state"), "stopped") << text_of(end, "message");
  EXPECT_TRUE(exists("packed"));
  EXPECT_TRUE(exists("argv"));
}

// P1: output of the validation that is missing when it is read blocks the pack, on either stream.
TEST_F(Blocking, MissingOutputBlocks) {
  for (const char* stream : {"", " >&2"}) {
    std::remove(path("packed").c_str());
    // Deletes its own output while it runs: both files, once both are there.
    write_project(step("build", "mkdir -p build") +
                  step("validate", "echo one" + std::string(stream) +
                                       "; d=" + flock_.home().runs() +
                                       "/$DROVER_RUN_ID; until test -e $d/output && test -e "
                                       "$d/index; do sleep 0.01; done; rm $d/output $d/index") +
                  step("pack", "touch packed"));
    add();
    ASSERT_EQ(play().status, 202);
    const auto end = until_rest();
    EXPECT_EQ(text_of(end, "state"), "prepare_failed") << stream;
    EXPECT_TRUE(text_of(end, "code").starts_with("validation_")) << text_of(end, "code");
    EXPECT_FALSE(exists("packed"));
  }
}

// P1: the log and the feed say once that a project has no validation, and only then. A reader that
// resumes after the notice does not get it again.
TEST_F(Blocking, AMissingValidationIsReported) {
  const std::string told = "the project has no validate step, so the pack was not checked";
  const auto feed_says = [&] {
    const auto answer = connect().ask("GET", "/api/projects/game/feed");
    const std::string latest = text_of(session(), "run_id");
    std::string out;
    for (const auto& entry : answer.body.at("entries").as_array()) {
      if (text_of(entry.as_object(), "run_id") == latest) {
        out += text_of(entry.as_object(), "message") + "\n";
      }
    }
    return out;
  };
  write_project(step("build", "mkdir -p build; echo built") + step("pack", "echo packed"));
  add();
  ASSERT_EQ(play().status, 202);
  EXPECT_EQ(text_of(until_rest(), "state"), "stopped");
  const auto lines = log();
  ASSERT_EQ(lines.size(), 4U);
  EXPECT_EQ(lines[0], "build│built");
  EXPECT_EQ(lines[1].find("play│" + told), 0U) << lines[1];
  EXPECT_EQ(lines[2], "pack│packed");
  EXPECT_NE(feed_says().find(told), std::string::npos);
  race::Client client = connect();
  client.send("GET /api/projects/game/log?limit=2 HTTP/1.1\r\nHost: d\r\n\r\n");
  const auto page = client.take();
  const std::string mark = "Drover-Next-Seq: ";
  const size_t at = page.head.find(mark) + mark.size();
  client.send("GET /api/projects/game/log?follow=true&after=" +
              page.head.substr(at, page.head.find('\r', at) - at) + " HTTP/1.1\r\nHost: d\r\n\r\n");
  const std::string rest = client.take_stream();
  EXPECT_EQ(rest.find("\"source\":\"play\""), std::string::npos) << rest;
  EXPECT_NE(rest.find("\"source\":\"pack\""), std::string::npos) << rest;
  EXPECT_NE(flock_.ok({"play", "log", "game"}).find(told), std::string::npos);
  const auto played = flock_.drover({"play", "game"});
  EXPECT_NE(played.out.find(told), std::string::npos);
  EXPECT_NE(played.out.find("the runtime finished by itself"), std::string::npos) << played.out;
  write_project();
  ASSERT_EQ(play().status, 202);
  until_rest();
  EXPECT_TRUE(std::ranges::none_of(
      log(), [&](const std::string& line) { return line.contains("validate step"); }));
  EXPECT_EQ(feed_says().find(told), std::string::npos);
}

}  // namespace
}  // namespace drover::tests
