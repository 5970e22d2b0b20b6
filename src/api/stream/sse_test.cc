#include "api/stream/sse.h"

#include <cstring>
#include <filesystem>

#include "api/door_fixture.h"
#include "api/stream/pace.h"
#include "wire/frames.h"

namespace drover::api {
namespace {

using Sse = Door;

struct Frame {
  std::string id, event, data;
  boost::json::value json() const { return boost::json::parse(data); }
};

// Parses a whole stream; comments and `retry` are skipped.
std::vector<Frame> frames(std::string_view text) {
  std::vector<Frame> out;
  Frame frame;
  while (!text.empty()) {
    const std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(text.size(), line.size() + 1));
    const auto value = [&](std::string_view name) { return std::string(line.substr(name.size())); };
    if (line.starts_with("id: ")) frame.id = value("id: ");
    if (line.starts_with("event: ")) frame.event = value("event: ");
    if (line.starts_with("data: ")) frame.data = value("data: ");
    if (line.empty() && !frame.event.empty()) out.push_back(std::exchange(frame, {}));
  }
  return out;
}

std::vector<std::string> types(const std::vector<Frame>& list) {
  std::vector<std::string> out;
  for (const Frame& frame : list) out.push_back(frame.event);
  return out;
}

// R12: only the owner sees events about lanes and tokens; readers of a project's scope see events
// about the project. Every event has its subject.
TEST_F(Sse, ShowsEventsOnlyToPermittedReaders) {
  const auto token_for = [&](const std::string& scope) {
    const auto made =
        ask("POST", "/api/tokens", R"({"can":"read","scope":")" + scope + "\"}").json();
    return "Authorization: Bearer " + std::string(made.at("token").as_string()) + "\r\n";
  };
  const std::string reader = token_for("project/game"), other = token_for("project/other");
  ask("PUT", "/api/lanes/gpu", R"({"limit":4})");
  on_loop([&] {
    EXPECT_TRUE(
        dispatcher_.record(play::add_project({.id = "game", .root = "/game", .added_at = 1})));
  });
  const auto subjects = [&](const std::string& headers) {
    std::vector<std::string> sorts;
    const auto answer = ask("GET", "/api/events", "", headers).json();
    for (const auto& event : answer.at("events").as_array()) {
      const std::string subject(event.at("subject").as_string());
      EXPECT_FALSE(event.as_object().contains("run_id")) << subject;
      sorts.push_back(subject.substr(0, subject.find('/')));
    }
    return sorts;
  };
  using Sorts = std::vector<std::string>;
  EXPECT_EQ(subjects(""), (Sorts{"token", "token", "lane", "project"}));
  EXPECT_EQ(subjects(reader), Sorts{"project"});
  EXPECT_EQ(subjects(other), Sorts{});
}

// Events are read in pages, with a cursor to resume at, and have the fields of docs/events.md.
TEST_F(Sse, ReadsEventsInPages) {
  const std::string id = submit();
  finish(id);
  const auto first = ask("GET", "/api/events?limit=3").json();
  ASSERT_EQ(first.at("events").as_array().size(), 3U);
  const auto& event = first.at("events").at(0).as_object();
  EXPECT_TRUE(event.at("cursor").as_string().starts_with("1-")) << "number and epoch";
  EXPECT_EQ(event.at("seq"), 1);
  EXPECT_EQ(event.at("run_id"), text(id));
  EXPECT_EQ(event.at("subject"), text("run/" + id));
  EXPECT_EQ(event.at("run_seq"), 1);
  EXPECT_EQ(event.at("type"), "run.queued");
  EXPECT_EQ(event.at("scope"), "default");
  EXPECT_EQ(event.at("data").at("kind"), "command");
  const auto rest =
      ask("GET", "/api/events?after=" + std::string(first.at("next").as_string())).json();
  ASSERT_EQ(rest.at("events").as_array().size(), 1U);
  EXPECT_EQ(rest.at("events").at(0).at("type"), "run.completed");
  EXPECT_EQ(ask("GET", "/api/events?limit=1&last=true").json(), rest);
  expect_error(ask("GET", "/api/events?follow=true&last=true"), 400, "invalid_value", "last");
  EXPECT_EQ(ask("GET", "/api/events?after=" + std::string(rest.at("next").as_string())).json(),
            (boost::json::object{{"events", boost::json::array{}}, {"next", rest.at("next")}}));
  for (const auto& [query, param] : {std::pair{"after=x", "after"},
                                     {"after=1.x", "after"},
                                     {"limit=0", "limit"},
                                     {"follow=yes", "follow"},
                                     {"follow=true&limit=3", "limit"},
                                     {"output=true", "output"},
                                     {"after=1,run_x:2", "after"},
                                     {"after=1,x", "after"},
                                     {"scope=/", "scope"}}) {
    expect_error(ask("GET", std::string("/api/events?") + query), 400, "invalid_value", param);
  }
  expect_error(ask("GET", "/api/events", {}, "Last-Event-ID: x\r\n"), 400, "invalid_value",
               "Last-Event-ID");
}

// R12: several runs and scopes share one stream: an event of any of them is sent once, in order,
// from the event log as from the bell. The error names a topic that does not exist.
TEST_F(Sse, CombinesTopicsInAStream) {
  const std::string one = submit();
  const std::string other = submit(R"({"command":["true"],"scope":"world/chat"})");
  const std::string stranger = submit(R"({"command":["true"],"scope":"elsewhere"})");
  finish(one);
  const std::string topics = "run=" + one + "&run=" + other + "&scope=world&scope=team";
  const auto told = [&](const boost::json::value& events) {
    std::string out;
    for (const auto& event : events.as_array()) {
      EXPECT_NE(event.at("run_id"), text(stranger));
      out += event.at("run_id") == text(one) ? "1" : "2";
    }
    return out;
  };
  const auto page = ask("GET", "/api/events?" + topics).json();
  EXPECT_EQ(told(page.at("events")), "112211");
  const auto part = ask("GET", "/api/events?limit=3&" + topics).json();
  EXPECT_EQ(told(part.at("events")), "112");
  const std::string next(part.at("next").as_string());
  EXPECT_EQ(told(ask("GET", "/api/events?after=" + next + "&" + topics).json().at("events")),
            "211");

  Client subscriber = client();
  subscriber.ask("GET", "/api/events?follow=true&after=" + next + "&" + topics);
  subscriber.read_until("run.completed");
  finish(stranger);
  const std::string late = submit(R"({"command":["true"],"scope":"team/x"})");
  finish(other, 1);
  const std::string text = subscriber.read_until("run.failed");
  EXPECT_EQ(text.find(stranger), std::string::npos);
  EXPECT_NE(text.find(late), std::string::npos);

  expect_error(ask("GET", "/api/events?run=nothing"), 404, "not_found", "run_id");
  std::string many;
  for (int i = 0; i < 101; ++i) many += "&scope=a" + std::to_string(i);
  expect_error(ask("GET", "/api/events?limit=1" + many), 413, "too_many_topics", "scope");
}

// R12: the stream of a finished run is replayed completely: output in order, the final event
// last.
TEST_F(Sse, ReplaysAFinishedRun) {
  const std::string id = submit();
  start(id);
  print(id, Stream::out, "out\n");
  print(id, Stream::err, "err\n");
  finish(id);
  const HttpAnswer answer = ask("GET", "/api/runs/" + id + "/events?follow=true&output=true");
  EXPECT_EQ(answer.headers.at("content-type"), "text/event-stream");
  EXPECT_EQ(answer.headers.at("transfer-encoding"), "chunked");
  EXPECT_TRUE(answer.body.starts_with("retry: 1000\n\n"));
  const auto all = frames(answer.body);
  EXPECT_EQ(types(all), (std::vector<std::string>{"run.queued", "run.starting", "run.started",
                                                  "run.output", "run.output", "run.completed"}));
  EXPECT_TRUE(all[3].id.starts_with("3-") && all[3].id.ends_with(".4")) << all[3].id;
  EXPECT_EQ(all[3].json().at("run_id"), text(id));
  EXPECT_EQ(all[3].json().at("stream"), "stdout");
  EXPECT_EQ(all[3].json().at("text"), "out\n");
  EXPECT_EQ(all[4].json().at("stream"), "stderr");
  EXPECT_EQ(all[4].json().at("offset"), 4);
  EXPECT_TRUE(all[5].id.starts_with("4-") && all[5].id.ends_with(".8")) << all[5].id;
  EXPECT_EQ(all[5].json().at("cursor"), text(all[5].id));
  // Without output, the final event still comes last.
  const auto plain = frames(ask("GET", "/api/runs/" + id + "/events?follow=true").body);
  EXPECT_EQ(types(plain), (std::vector<std::string>{"run.queued", "run.starting", "run.started",
                                                    "run.completed"}));
  EXPECT_TRUE(plain[3].id.starts_with("4-")) << plain[3].id;
}

// R11: as frames, the same stream has its output as raw bytes. Frames without output, and exactness
// without frames, are refused.
TEST_F(Sse, SendsFrames) {
  const std::string id = submit();
  start(id);
  print(id, Stream::out, "out\n");
  print(id, Stream::err, std::string_view("\0\xff", 2));
  finish(id);
  const std::string path = "/api/runs/" + id + "/events?";
  const HttpAnswer answer = ask("GET", path + "follow=true&output=true&format=frames&exact=true");
  EXPECT_EQ(answer.headers.at("content-type"), "application/vnd.drover.frames");
  std::string kinds, bytes;
  for (std::string_view rest = answer.body; rest.size() >= sizeof(wire::FrameHeader);) {
    wire::FrameHeader header;
    std::memcpy(&header, rest.data(), sizeof header);
    const std::string_view payload = rest.substr(sizeof header, header.payload_bytes);
    ASSERT_EQ(payload.size(), header.payload_bytes);
    kinds += static_cast<char>('0' + static_cast<int>(header.kind));
    if (header.kind == wire::FrameKind::output) {
      EXPECT_EQ(header.offset, bytes.size());
      EXPECT_EQ(header.stream, bytes.empty() ? 1 : 2);
      bytes += payload;
    }
    rest.remove_prefix(sizeof header + header.payload_bytes);
  }
  EXPECT_EQ(kinds, "4111221");  // Alive, three events, two pieces of output, the end.
  EXPECT_EQ(bytes, std::string("out\n\0\xff", 6));
  for (const auto& [query, param] : {std::pair{"follow=true&format=frames", "format"},
                                     {"follow=true&output=true&format=xml", "format"},
                                     {"follow=true&output=true&exact=true", "exact"}}) {
    expect_error(ask("GET", path + query), 400, "invalid_value", param);
  }
}

// R12: a subscriber that was cut off anywhere resumes without a gap and without a repetition.
TEST_F(Sse, ResumesFromAnyCursor) {
  const std::string id = submit();
  start(id);
  for (int i = 0; i < 5; ++i) print(id, i % 2 == 0 ? Stream::out : Stream::err, "line\n");
  finish(id);
  const std::string path = "/api/runs/" + id + "/events?follow=true&output=true";
  const auto all = frames(ask("GET", path).body);
  ASSERT_EQ(all.size(), 9U);
  for (size_t i = 0; i + 1 < all.size(); ++i) {
    for (const auto& rest :
         {frames(ask("GET", path + "&after=" + all[i].id).body),
          frames(ask("GET", path + "&after=0", {}, "Last-Event-ID: " + all[i].id + "\r\n").body)}) {
      ASSERT_EQ(rest.size(), all.size() - i - 1) << all[i].id;
      for (size_t j = 0; j < rest.size(); ++j) {
        EXPECT_EQ(rest[j].id, all[i + 1 + j].id);
        EXPECT_EQ(rest[j].data, all[i + 1 + j].data);
      }
    }
  }
  // A subscriber that has read the end gets 204, or a browser would reconnect forever.
  EXPECT_EQ(ask("GET", path + "&after=" + all.back().id).status, 204U);
}

// Events and output are sent as they happen; the stream ends with the run.
TEST_F(Sse, FollowsALiveRun) {
  const std::string id = submit();
  Client subscriber = client();
  subscriber.ask("GET", "/api/runs/" + id + "/events?follow=true&output=true", {}, {}, "1.0");
  EXPECT_NE(subscriber.read_until("event: run.starting"), "");
  start(id);
  EXPECT_NE(subscriber.read_until("event: run.started"), "");
  print(id, Stream::out, "first\n");
  EXPECT_NE(subscriber.read_until("\"text\":\"first\\n\""), "");
  print(id, Stream::out, "second\n");
  EXPECT_NE(subscriber.read_until("\"text\":\"second\\n\""), "");
  EXPECT_EQ(on_loop([&] { return output_watch_->directories(); }), 1U);
  print(id, Stream::err, "last\n");
  finish(id);
  const auto rest = frames(subscriber.read_to_end());
  ASSERT_GE(rest.size(), 2U);
  EXPECT_EQ(rest[rest.size() - 2].json().at("text"), "last\n");
  EXPECT_EQ(rest.back().event, "run.completed");
  eventually([&] { return output_watch_->directories() == 0; });
}

// A character that was printed in two writes is sent as one.
TEST_F(Sse, HoldsBackHalfACharacter) {
  const std::string id = submit();
  Client subscriber = client();
  subscriber.ask("GET", "/api/runs/" + id + "/events?follow=true&output=true", {}, {}, "1.0");
  subscriber.read_until("event: run.starting");
  print(id, Stream::out, "a\xE2\x82");
  EXPECT_NE(subscriber.read_until("\"text\":\"a\""), "");
  print(id, Stream::out, "\xAC");
  EXPECT_NE(subscriber.read_until("\"text\":\"\xE2\x82\xAC\""), "");
  print(id, Stream::out, "\xE2");  // Never finished: sent at the end, as it is.
  finish(id);
  EXPECT_NE(subscriber.read_to_end().find("\"base64\":\"4g==\""), std::string::npos);
}

// R11: large output is sent completely, in order, before the final event.
TEST_F(Sse, SendsLargeOutputCompletely) {
  const std::string id = submit();
  std::string printed;
  for (int i = 0; printed.size() < 5 * limits::kLogChunkBytes; ++i) {
    printed += "line " + std::to_string(i) + "\n";
  }
  print(id, Stream::out, printed);
  finish(id);
  std::string told;
  const auto all = frames(ask("GET", "/api/runs/" + id + "/events?follow=true&output=true").body);
  for (const Frame& frame : all) {
    if (frame.event == "run.output") told += frame.json().at("text").as_string();
  }
  EXPECT_EQ(told, printed);
  EXPECT_EQ(all.back().event, "run.completed");
}

// R8, H4: the events of a deleted run are still sent, without its output.
TEST_F(Sse, SendsTheEventsOfADeletedRun) {
  const std::string id = submit();
  print(id, Stream::out, "gone\n");
  finish(id);
  ASSERT_EQ(ask("DELETE", "/api/runs/" + id).status, 200U);
  const auto all = frames(ask("GET", "/api/runs/" + id + "/events?follow=true&output=true").body);
  EXPECT_EQ(all.back().event, "run.completed");
  for (const Frame& frame : all) EXPECT_NE(frame.event, "run.output");
  expect_error(ask("GET", "/api/runs/run_00000000000000000000000000/events?follow=true"), 404,
               "not_found", "run_id");
}

// Subscribers of all runs, or of a scope, get new events, or those after their cursor.
TEST_F(Sse, FollowsEverythingOrAScope) {
  submit();
  Client all = client();
  all.ask("GET", "/api/events", {}, "Accept: text/event-stream\r\n", "1.0");
  Client scoped = client();
  scoped.ask("GET", "/api/events?follow=true&scope=a", {}, {}, "1.0");
  all.read_until("retry: 1000\n\n");
  scoped.read_until("retry: 1000\n\n");
  const std::string other = submit(R"({"command":["true"],"scope":"b"})");
  const std::string mine = submit(R"({"command":["true"],"scope":"a/b"})");
  EXPECT_NE(scoped.read_until("\"seq\":").find("id: 5"), std::string::npos);
  const std::string seen = all.read_until("\"run_id\":\"" + mine);
  EXPECT_NE(seen.find(other), std::string::npos);
  EXPECT_NE(seen.find("id: 3-"), std::string::npos);
}

// R14: a subscriber whose directory cannot be watched polls, and delays nobody.
TEST_F(Sse, FollowsWithoutAWatch) {
  const std::string id = submit();
  std::filesystem::remove_all(home_.runs());
  Client subscriber = client();
  subscriber.ask("GET", "/api/runs/" + id + "/events?follow=true&output=true", {}, {}, "1.0");
  subscriber.read_until("event: run.starting");
  EXPECT_EQ(ask("GET", "/api/status").status, 200U);
  EXPECT_EQ(output_watch_->directories(), 0U);
  finish(id);
  EXPECT_NE(subscriber.read_to_end().find("event: run.completed"), std::string::npos);
}

// A subscriber that hangs up frees its connection, its watch and its subscription at once.
TEST_F(Sse, FreesADisconnectedSubscriber) {
  const std::string id = submit();
  Client subscriber = client();
  subscriber.ask("GET", "/api/runs/" + id + "/events?follow=true&output=true");
  eventually([&] { return output_watch_->directories() == 1; });
  subscriber.hang_up();
  eventually([&] { return server_->connections() == 0 && output_watch_->directories() == 0; });
}

// R14: a subscriber that does not read slows nobody, and nothing is queued for it.
TEST_F(Sse, IsNotSlowedByTheStuck) {
  const std::string id = submit();
  Client stuck = client();
  stuck.ask("GET", "/api/runs/" + id + "/events?follow=true&output=true", {}, {}, "1.0");
  stuck.read_until("event: run.starting");
  const std::string block(1 << 20, 'x');
  for (int i = 0; i < 8; ++i) print(id, Stream::out, block);
  Client quick = client();
  quick.ask("GET", "/api/runs/" + id + "?wait=60s");
  finish(id);
  EXPECT_EQ(quick.answer().json().at("state"), "completed");
  const auto rest = frames(stuck.read_to_end());
  size_t bytes = 0;
  for (const Frame& frame : rest) {
    if (frame.event == "run.output") bytes += frame.json().at("text").as_string().size();
  }
  EXPECT_EQ(bytes, 8U << 20);
  EXPECT_EQ(rest.back().event, "run.completed");
}

// R11: an exact reader that reads nothing for long stays connected; any other is disconnected.
TEST_F(Sse, WaitsForAnExactReader) {
  const std::string id = submit();
  start(id);
  for (int i = 0; i < 8; ++i) print(id, Stream::out, std::string(1 << 20, 'x'));
  finish(id);
  const std::string path = "/api/runs/" + id + "/events?follow=true&output=true&format=frames";
  Client exact = client();
  exact.ask("GET", path + "&exact=true", {}, {}, "1.0");
  EXPECT_NE(exact.read_until("run.queued"), "");
  Client other = client();
  other.ask("GET", path, {}, {}, "1.0");
  EXPECT_NE(other.read_until("run.queued"), "");
  const auto later = std::chrono::milliseconds(10 * limits::kWriteStallMs);
  while (on_loop([&] {
    server_->close_overdue(std::chrono::steady_clock::now() + later);
    return server_->connections() == 2;
  })) {
  }
  EXPECT_EQ(on_loop([&] { return exact_readers_->size(); }), 1U);
  const std::string rest = exact.read_to_end();
  EXPECT_GT(rest.size(), 8U << 20);
  EXPECT_NE(rest.find("run.completed", 8 << 20), std::string::npos);
  eventually([&] { return exact_readers_->size() == 0; });
}

// R11: an exact reader can make a run wait: that needs the right to cancel it.
TEST_F(Sse, OnlyAControllerReadsExactly) {
  const std::string id = submit();
  finish(id);
  const std::string path = "/api/runs/" + id + "/events?follow=true&output=true&format=frames";
  const auto token = [&](const std::string& can) {
    const auto made = ask("POST", "/api/tokens", R"({"can":")" + can + "\"}").json();
    return "Authorization: Bearer " + std::string(made.at("token").as_string()) + "\r\n";
  };
  const std::string reader = token("read");
  EXPECT_EQ(ask("GET", path, {}, reader).status, 200U);
  expect_error(ask("GET", path + "&exact=true", {}, reader), 403, "forbidden", "exact");
  EXPECT_EQ(ask("GET", path + "&exact=true", {}, token("read,cancel")).status, 200U);
}

// R14: a subscriber that falls too far behind learns how far, and where to resume.
TEST_F(Sse, TellsTheLagging) {
  const std::string id = submit();
  Client subscriber = client();
  subscriber.ask("GET", "/api/events?follow=true", {}, {}, "1.0");
  subscriber.read_until("retry: 1000\n\n");
  on_loop([&] {
    std::vector<run::Event> flood(limits::kSubscriberLagMax + 1);
    std::int64_t seq = bell_.last_seq();
    for (run::Event& event : flood) event.seq = ++seq;
    bell_.ring(std::move(flood));
  });
  const auto rest = frames(subscriber.read_to_end());
  ASSERT_EQ(types(rest), std::vector<std::string>{"lagged"});
  EXPECT_EQ(rest[0].json().at("missed"), limits::kSubscriberLagMax + 1);
  EXPECT_TRUE(rest[0].json().at("cursor").as_string().starts_with("2-"));
}

// A cursor of an epoch that this log does not have: the reader gets `lagged`, with the cursor to
// continue from. The events and the answer of a page are the same.
TEST_F(Sse, TellsAReaderOfAnotherLogThatItLagged) {
  finish(submit());
  const auto told = frames(ask("GET", "/api/events?follow=true&after=3-00000000").body);
  ASSERT_EQ(types(told), std::vector<std::string>{"lagged"});
  EXPECT_EQ(told[0].json().at("cursor"), "0");
  const auto page = ask("GET", "/api/events?after=3-00000000").json();
  EXPECT_EQ(page.at("lagged"), told[0].json());
  EXPECT_EQ(page.at("events").at(0).at("seq"), 1);
  // Beyond the end of the log: numbers that are not given yet.
  EXPECT_TRUE(ask("GET", "/api/events?after=1000").json().as_object().contains("lagged"));
  EXPECT_FALSE(ask("GET", "/api/events?after=3").json().as_object().contains("lagged"));
}

// A small write goes out at once; under load writes are delayed; a pause ends the load.
TEST(PaceOfAStream, IsQuickWhenIdleAndSlowUnderLoad) {
  using std::chrono::milliseconds;
  Pace pace;
  auto now = Pace::Time{} + std::chrono::hours(1);
  for (int i = 0; i < limits::kFlushBurst; ++i) {
    EXPECT_EQ(pace.delay(now), Pace::Span::zero());
    pace.wrote(now);
    now += milliseconds(1);
  }
  for (int i = 0; i < 20; ++i) {
    const auto delay = pace.delay(now);
    EXPECT_EQ(delay, milliseconds(limits::kFlushEveryMs - 1));
    now += delay;
    EXPECT_EQ(pace.delay(now), Pace::Span::zero());
    pace.wrote(now);
    now += milliseconds(1);
  }
  now += milliseconds(10 * limits::kFlushEveryMs);
  EXPECT_EQ(pace.delay(now), Pace::Span::zero());
  pace.wrote(now);
  EXPECT_EQ(pace.delay(now), Pace::Span::zero());
}

}  // namespace
}  // namespace drover::api
