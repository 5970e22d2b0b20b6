#include "api/runs/logs.h"

#include "api/door_fixture.h"

namespace drover::api {
namespace {

using Logs = Door;

// R11: output is read by range, by stream and by its last lines; the answer says where to resume.
TEST_F(Logs, AreReadInPieces) {
  const std::string id = submit();
  const std::string path = "/api/runs/" + id + "/logs";
  const Answer none = ask("GET", path);
  EXPECT_EQ(none.status, 200U);
  EXPECT_EQ(none.body, "");
  EXPECT_EQ(none.headers.at("drover-next-offset"), "0");
  print(id, Stream::out, "one\ntwo\n");
  print(id, Stream::err, "oops\n");
  print(id, Stream::out, "three\n");
  const Answer all = ask("GET", path);
  EXPECT_EQ(all.headers.at("content-type"), "application/octet-stream");
  EXPECT_EQ(all.body, "one\ntwo\noops\nthree\n");
  EXPECT_EQ(all.headers.at("drover-next-offset"), "19");
  const Answer some = ask("GET", path + "?offset=4&limit=6");
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
  const Answer answer = ask("GET", "/api/runs/" + id + "/logs?format=ndjson");
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
  const Answer cut = ask("GET", path + "&limit=4");
  EXPECT_EQ(boost::json::parse(cut.body).at("text"), "abc");
  EXPECT_EQ(cut.headers.at("drover-next-offset"), "3");
  EXPECT_EQ(boost::json::parse(ask("GET", path + "&offset=3").body).at("text"), "\xE2\x82\xAC");
  EXPECT_EQ(ask("GET", path + "&offset=3&limit=1").headers.at("drover-next-offset"), "4");
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
