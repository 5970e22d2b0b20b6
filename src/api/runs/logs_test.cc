#include "api/runs/logs.h"

#include "api/door_fixture.h"

namespace drover::api {
namespace {

using Logs = Door;

// R11: output is read by range, by stream and by its last lines; the answer says where to resume.
TEST_F(Logs, AreReadInPieces) {
  const std::string id = submit();
  const std::string path = "/api/runs/" + id + "/logs";
  const HttpAnswer none = ask("GET", path);
  EXPECT_EQ(none.status, 200U);
  EXPECT_EQ(none.body, "");
  EXPECT_EQ(none.headers.at("drover-next-offset"), "0");
  print(id, Stream::out, "one\ntwo\n");
  print(id, Stream::err, "oops\n");
  print(id, Stream::out, "three\n");
  const HttpAnswer all = ask("GET", path);
  EXPECT_EQ(all.headers.at("content-type"), "application/octet-stream");
  EXPECT_EQ(all.body, "one\ntwo\noops\nthree\n");
  EXPECT_EQ(all.headers.at("drover-next-offset"), "19");
  const HttpAnswer some = ask("GET", path + "?offset=4&limit=6");
  EXPECT_EQ(some.body, "two\noo");
  EXPECT_EQ(some.headers.at("drover-next-offset"), "10");
  EXPECT_EQ(ask("GET", path + "?stream=stdout").body, "one\ntwo\nthree\n");
  EXPECT_EQ(ask("GET", path + "?stream=stderr").body, "oops\n");
  EXPECT_EQ(ask("GET", path + "?tail=2").body, "oops\nthree\n");
  EXPECT_EQ(ask("GET", path + "?tail=2&stream=stdout").body, "two\nthree\n");
  EXPECT_EQ(ask("GET", path + "?offset=1000").body, "");
}

// As JSON, each line has its stream and time; bytes that are not text are base64.
TEST_F(Logs, AreReadAsJsonLines) {
  const std::string id = submit();
  const std::string begun = rfc3339(clock_.wall_ms());
  print(id, Stream::out, "h\xC3\xA4\n");
  print(id, Stream::err, "\xff");
  finish(id);
  const HttpAnswer answer = ask("GET", "/api/runs/" + id + "/logs?format=ndjson");
  EXPECT_EQ(answer.headers.at("content-type"), "application/x-ndjson");
  const size_t split = answer.body.find('\n');
  const auto first = boost::json::parse(answer.body.substr(0, split));
  const auto second = boost::json::parse(answer.body.substr(split + 1));
  EXPECT_EQ(first.at("stream"), "stdout");
  EXPECT_EQ(first.at("offset"), 0);
  EXPECT_EQ(first.at("text"), "h\xC3\xA4\n");
  EXPECT_EQ(second.at("stream"), "stderr");
  EXPECT_EQ(second.at("offset"), 4);
  EXPECT_EQ(second.at("base64"), "/w==");
  EXPECT_GE(first.at("time").as_string(), begun);
  EXPECT_GE(second.at("time").as_string(), first.at("time").as_string());
  EXPECT_LE(second.at("time").as_string(), rfc3339(clock_.wall_ms()));
}

// A character cut by the limit comes whole in the next answer; a limit too small for it does not
// block the reader.
TEST_F(Logs, AreCutBetweenCharacters) {
  const std::string id = submit();
  print(id, Stream::out, "abc\xE2\x82\xAC");
  const std::string path = "/api/runs/" + id + "/logs?format=ndjson";
  const HttpAnswer cut = ask("GET", path + "&limit=4");
  EXPECT_EQ(boost::json::parse(cut.body).at("text"), "abc");
  EXPECT_EQ(cut.headers.at("drover-next-offset"), "3");
  EXPECT_EQ(boost::json::parse(ask("GET", path + "&offset=3").body).at("text"), "\xE2\x82\xAC");
  EXPECT_EQ(ask("GET", path + "&offset=3&limit=1").headers.at("drover-next-offset"), "4");
}

// As JSON, an output of tiny records is many times its size: an answer ends at its own bound, and
// the next one continues there.
TEST_F(Logs, AreCutAtTheSizeOfTheAnswer) {
  const std::string id = submit();
  constexpr size_t kBytes = 150'000;
  for (size_t i = 0; i < kBytes; ++i) print(id, i % 2 == 0 ? Stream::out : Stream::err, "\x01");
  finish(id);
  const std::string path = "/api/runs/" + id + "/logs";
  const HttpAnswer first = ask("GET", path + "?format=ndjson");
  EXPECT_LT(first.body.size(), limits::kLogReadBytesMax + 200);
  const size_t next = std::stoul(first.headers.at("drover-next-offset"));
  EXPECT_LT(next, kBytes);
  EXPECT_EQ(first.headers.at("drover-more"), "true");
  EXPECT_EQ(std::ranges::count(first.body, '\n'), static_cast<std::ptrdiff_t>(next));
  const HttpAnswer second = ask("GET", path + "?format=ndjson&offset=" + std::to_string(next));
  EXPECT_EQ(boost::json::parse(second.body.substr(0, second.body.find('\n'))).at("offset"), next);
  EXPECT_EQ(ask("GET", path).body.size(), kBytes);
  EXPECT_EQ(ask("GET", path + "?stream=stderr").body.size(), kBytes / 2);
}

// Also if each of its pieces is long as JSON.
TEST_F(Logs, AreCutAtTheSizeOfLongPieces) {
  const std::string id = submit();
  const std::string kilobyte(1'000, '\x01');
  for (int i = 0; i < 3'000; ++i) print(id, i % 2 == 0 ? Stream::out : Stream::err, kilobyte);
  finish(id);
  const HttpAnswer first = ask("GET", "/api/runs/" + id + "/logs?format=ndjson");
  EXPECT_LT(first.body.size(), limits::kLogReadBytesMax + 10'000);
  EXPECT_EQ(first.headers.at("drover-more"), "true");
  const size_t next = std::stoul(first.headers.at("drover-next-offset"));
  EXPECT_EQ(std::ranges::count(first.body, '\n'), static_cast<std::ptrdiff_t>(next / 1'000));
}

class LogBudget : public Door {
 protected:
  LogBudget() : Door({.cpu_max = std::chrono::milliseconds(0)}) {}
};

// A read through an output has a budget, also if it finds nothing.
TEST_F(LogBudget, BoundsAFilteredRead) {
  const std::string id = submit();
  for (int i = 0; i < 1'000; ++i) print(id, Stream::out, "x");
  expect_error(ask("GET", "/api/runs/" + id + "/logs?stream=stderr"), 413, "work_too_long", "");
}

// The error names the invalid parameter.
TEST_F(Logs, RefuseInvalidParameters) {
  const std::string path = "/api/runs/" + submit() + "/logs?";
  for (const auto& [query, param] : {std::pair{"stream=both", "stream"},
                                     {"format=xml", "format"},
                                     {"tail=-1", "tail"},
                                     {"tail=1&offset=0", "tail"},
                                     {"offset=x", "offset"},
                                     {"limit=0", "limit"}}) {
    expect_error(ask("GET", path + query), 400, "invalid_value", param);
  }
  expect_error(ask("GET", "/api/runs/nope/logs"), 404, "not_found", "run_id");
}

}  // namespace
}  // namespace drover::api
