#include "api/stream/byte_range.h"

#include "api/door_fixture.h"

namespace drover::api {
namespace {

// R11: a Range header is parsed as in RFC 9110; forms that may be ignored are ignored.
TEST(ByteRangeHeader, IsParsed) {
  const auto read = [](std::string_view header) -> std::string {
    const auto range = byte_range(header, 100);
    if (!range) return range.error().reason;
    if (!*range) return "all";
    return std::to_string((*range)->first) + "-" + std::to_string((*range)->last);
  };
  EXPECT_EQ(read("bytes=0-0"), "0-0");
  EXPECT_EQ(read("bytes=10-19"), "10-19");
  EXPECT_EQ(read("bytes=90-"), "90-99");
  EXPECT_EQ(read("bytes=90-1000"), "90-99");
  EXPECT_EQ(read("bytes=-10"), "90-99");
  EXPECT_EQ(read("bytes=-1000"), "0-99");
  for (const char* out : {"bytes=100-", "bytes=100-200", "bytes=-0"}) {
    EXPECT_EQ(read(out), "range_not_satisfiable") << out;
  }
  for (const char* odd : {"", "bytes", "bytes=", "bytes=-", "bytes=x-", "bytes=1-x", "bytes=2-1",
                          "bytes=0-1,3-4", "lines=0-1", "bytes=99999999999999999999-", "bytes=1"}) {
    EXPECT_EQ(read(odd), "all") << odd;
  }
  EXPECT_FALSE(byte_range("bytes=-1", 0));
}

using LogRange = Door;

// R11: part of an output is answered as a partial content; the total size of an active run's output
// is unknown.
TEST_F(LogRange, IsAnsweredAsPartialContent) {
  const std::string id = submit();
  const std::string path = "/api/runs/" + id + "/logs";
  print(id, Stream::out, "hello ");
  print(id, Stream::err, "world");
  HttpAnswer part = ask("GET", path, {}, "Range: bytes=4-7\r\n");
  EXPECT_EQ(part.status, 206U);
  EXPECT_EQ(part.body, "o wo");
  EXPECT_EQ(part.headers.at("content-range"), "bytes 4-7/*");
  EXPECT_EQ(part.headers.at("drover-next-offset"), "8");
  finish(id);
  part = ask("GET", path, {}, "Range: bytes=-5\r\n");
  EXPECT_EQ(part.body, "world");
  EXPECT_EQ(part.headers.at("content-range"), "bytes 6-10/11");
  expect_error(ask("GET", path, {}, "Range: bytes=11-\r\n"), 416, "range_not_satisfiable", "Range");
  const HttpAnswer whole = ask("GET", path);
  EXPECT_EQ(whole.status, 200U);
  EXPECT_EQ(whole.headers.at("accept-ranges"), "bytes");
  // One stream has no offsets of its own, so the query wins and the range is ignored.
  EXPECT_EQ(ask("GET", path + "?stream=stderr", {}, "Range: bytes=0-1\r\n").body, "world");
}

}  // namespace
}  // namespace drover::api
