#include "cli/client/sse.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

namespace drover::cli {
namespace {

std::vector<SseEvent> read(std::string_view bytes) {
  SseParser parser;
  std::vector<SseEvent> events;
  parser.feed(bytes, events);
  return events;
}

// An event has an id, a type and data; comments are skipped.
TEST(Sse, ReadsEventsAndSkipsHeartbeats) {
  const auto events = read(
      "retry: 1000\n\n:\n\nid: 7.120\nevent: run.output\ndata: {\"a\":1}\n\n: beat\n\ndata:x\n\n");
  ASSERT_EQ(events.size(), 2U);
  EXPECT_EQ(events[0], (SseEvent{"7.120", "run.output", R"({"a":1})"}));
  EXPECT_EQ(events[1], (SseEvent{"", "message", "x"}));
}

// Several data lines are joined to one text; all three line ends of the standard are accepted.
TEST(Sse, JoinsDataLinesWithAnyLineEnd) {
  for (const std::string end : {"\n", "\r\n", "\r"}) {
    const auto events = read("data: one" + end + "data: two" + end + end + "id: 1" + end);
    ASSERT_EQ(events.size(), 1U);
    EXPECT_EQ(events[0].data, "one\ntwo");
  }
}

// An event that the end of the stream cuts off is dropped.
TEST(Sse, DropsAnIncompleteEvent) {
  EXPECT_TRUE(read("id: 1\nevent: run.completed\ndata: {}\n").empty());
}

// However the bytes are split, the events are the same.
RC_GTEST_PROP(Sse, AnySplitGivesTheSameEvents, ()) {
  const auto piece = rc::gen::element<std::string>("id: 5", "event: run.output", "data: \xFF\xC3",
                                                   "data:", ":beat", "\n", "\r\n", "\r", "\n\n",
                                                   "odd", "data: a:b", "x");
  const auto pieces = *rc::gen::container<std::vector<std::string>>(piece);
  std::string bytes;
  for (const std::string& p : pieces) bytes += p;
  SseParser parser;
  std::vector<SseEvent> events;
  for (size_t at = 0; at < bytes.size();) {
    const size_t size = *rc::gen::inRange<size_t>(1, bytes.size() - at + 1);
    parser.feed(std::string_view(bytes).substr(at, size), events);
    at += size;
  }
  RC_ASSERT(events == read(bytes));
}

}  // namespace
}  // namespace drover::cli
