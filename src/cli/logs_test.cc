// `drover logs`: the real program against a scripted daemon.
#include <gtest/gtest.h>

#include "cli/client/fake_daemon.h"

namespace drover::cli {
namespace {

const std::string kWholeId = "run_01jc8x00000000000000000000";  // Needs no resolving.

// The error about an invalid number of lines names the option.
TEST(Logs, RefusesAnInvalidTail) {
  FakeDaemon daemon(always(200, "{}"));
  for (const std::string bad : {"x", "-1", ""}) {
    const ProgramResult ended = drover_says({"logs", "-n", bad, "run_a"}, daemon.home());
    EXPECT_EQ(ended.code, 2);
    EXPECT_EQ(ended.err, "drover: invalid --tail \"" + bad + "\": use a number of lines\n");
  }
}

// R11: a log larger than one answer is read to its end, byte by byte as it was written.
TEST(Logs, ReadAllPages) {
  const std::string first(8 * 1024 * 1024, '\xFF');
  FakeDaemon daemon([&](const ReceivedRequest& heard, Reply& reply) {
    if (heard.target.find("offset=") == std::string::npos) {
      return reply.with_header(200, "Drover-Next-Offset: 8388608\r\n", first);
    }
    EXPECT_NE(heard.target.find("offset=8388608"), std::string::npos);
    reply.with_header(200, "Drover-Next-Offset: 8388611\r\n", "end");
  });
  EXPECT_EQ(drover_says({"logs", kWholeId}, daemon.home()).out, first + "end");
}

// JSON lines that are full before their limit are continued as well.
TEST(Logs, ReadAllJsonLines) {
  const auto piece = [](const std::string& offset, const std::string& text) {
    return R"({"offset":)" + offset +
           R"(,"stream":"stdout","time":"2026-11-15T09:58:25.123Z","text":")" + text + "\"}\n";
  };
  FakeDaemon daemon([&](const ReceivedRequest& heard, Reply& reply) {
    if (heard.target.find("offset=4") == std::string::npos) {
      return reply.with_header(200, "Drover-Next-Offset: 4\r\nDrover-More: true\r\n",
                               piece("0", "one "));
    }
    reply.with_header(200, "Drover-Next-Offset: 7\r\n", piece("4", "two"));
  });
  EXPECT_NE(drover_says({"logs", "-t", kWholeId}, daemon.home()).out.find("one two"),
            std::string::npos);
}

// `logs -f --tail`: the stream does not repeat the lines that the tail has printed.
TEST(Logs, FollowFromTheTail) {
  FakeDaemon daemon([&](const ReceivedRequest& heard, Reply& reply) {
    if (heard.is("GET", "/api/runs/" + kWholeId + "/logs")) {
      EXPECT_NE(heard.target.find("tail=1"), std::string::npos);
      return reply.with_header(200, "Drover-Next-Offset: 8\r\n", "two\n");
    }
    reply.begin_stream();
    reply.event("1", "run.output", R"({"stream":"stdout","offset":0,"text":"one\n"})");
    reply.event("2", "run.output", R"({"stream":"stdout","offset":4,"text":"two\nthr"})");
    reply.event("3", "run.output", R"({"stream":"stderr","offset":11,"text":"ee\n"})");
    reply.event("4", "run.completed", R"({"data":{"state":"completed","exit_code":0}})");
    reply.end_stream();
  });
  EXPECT_EQ(drover_says({"logs", "-f", "--tail", "1", kWholeId}, daemon.home()).out,
            "two\nthree\n");
}

// --timestamps: each line starts with its time, even if the line arrives in pieces. Output lost to
// a full disk is reported on standard error.
TEST(Logs, PrintsTheTimeOfEachLine) {
  FakeDaemon daemon([&](const ReceivedRequest& heard, Reply& reply) {
    if (!heard.is("GET", "/api/runs/" + kWholeId + "/logs")) {
      return reply.json(200, R"({"run_id":"run_a"})");
    }
    EXPECT_NE(heard.target.find("format=ndjson"), std::string::npos);
    const std::string time = R"("time":"2026-11-15T09:58:25.123Z")";
    reply.with_header(200, "Drover-Next-Offset: 9\r\n",
                      R"({"offset":0,"stream":"stdout",)" + time + R"(,"text":"one\ntw"})" + "\n" +
                          R"({"offset":6,"stream":"stdout",)" + time + R"(,"text":"o\n"})" + "\n" +
                          R"({"gap":{"from":8,"to":2056}})" + "\n" +
                          R"({"offset":2056,"stream":"stdout",)" + time +
                          R"(,"text":"e\nlast\n"})" + "\n");
  });
  const auto said = drover_says({"logs", "-t", kWholeId}, daemon.home());
  EXPECT_EQ(said.out,
            "2026-11-15 09:58:25.123 one\n2026-11-15 09:58:25.123 two\n"
            "2026-11-15 09:58:25.123 last\n");
  EXPECT_NE(said.err.find("\u2026 2,048 bytes not kept; 2 bytes of cut lines"), std::string::npos)
      << said.err;
}

}  // namespace
}  // namespace drover::cli
