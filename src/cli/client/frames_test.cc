#include "cli/client/frames.h"

#include <gtest/gtest.h>

#include "wire/frames.h"

namespace drover::cli {
namespace {

using wire::append_frame;
using wire::FrameKind;

std::string some_frames() {
  std::string out;
  append_frame(out, FrameKind::alive, 0, {});
  append_frame(out, FrameKind::event, 0, R"(7.0 run.started {"seq":7})");
  append_frame(out, FrameKind::output, 0, std::string("a\0\xff", 3), 1);
  append_frame(out, FrameKind::output, 3, "oops\n", 2);
  const std::uint64_t end = 100;
  append_frame(out, FrameKind::gap, 8, {reinterpret_cast<const char*>(&end), sizeof end});
  append_frame(out, FrameKind::event, 0, R"( error {"error":{}})");
  return out;
}

std::vector<SseEvent> expected() {
  return {{.id = "7.0", .type = "run.started", .data = R"({"seq":7})"},
          {.id = "7.3", .type = "run.output", .data = std::string("a\0\xff", 3), .stream = 1},
          {.id = "7.8", .type = "run.output", .data = "oops\n", .stream = 2},
          {.id = "7.100", .type = "run.gap", .data = R"({"gap":{"from":8,"to":100}})"},
          {.id = "", .type = "error", .data = R"({"error":{}})"}};
}

// However the bytes are split, the frames give the same events, with the cursors to resume at.
TEST(Frames, GiveTheSameEventsHoweverTheyAreSplit) {
  const std::string bytes = some_frames();
  for (size_t step = 1; step <= bytes.size(); ++step) {
    FrameParser parser("");
    std::vector<SseEvent> events;
    for (size_t at = 0; at < bytes.size(); at += step) {
      ASSERT_TRUE(parser.feed(std::string_view(bytes).substr(at, step), events));
    }
    EXPECT_EQ(events, expected()) << step;
  }
}

// After a reconnection, the cursor of output continues with the last event of the old stream.
TEST(Frames, ContinueAfterTheLastEvent) {
  std::string bytes;
  append_frame(bytes, FrameKind::output, 10, "x", 1);
  FrameParser parser("42.10");
  std::vector<SseEvent> events;
  ASSERT_TRUE(parser.feed(bytes, events));
  EXPECT_EQ(events.at(0).id, "42.11");
}

// Bytes that are not frames are an error, and not an endless wait for the rest of one.
TEST(Frames, RefuseOtherBytes) {
  FrameParser parser("");
  std::vector<SseEvent> events;
  EXPECT_FALSE(parser.feed("HTTP/1.1 500 Internal Server Error", events));
}

}  // namespace
}  // namespace drover::cli
