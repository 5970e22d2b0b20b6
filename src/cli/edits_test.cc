// Commands that change things: the requests that they send, and the words that they refuse. The
// real program against a scripted daemon.
#include <gtest/gtest.h>

#include <boost/json/parse.hpp>
#include <fstream>

#include "base/clock.h"
#include "cli/client/fake_daemon.h"
#include "cli/fields.h"
#include "cli/views/words.h"

namespace drover::cli {
namespace {

using boost::json::object;

constexpr const char* kNightly = R"json({"name":"nb","when":"0 3 * * * (Europe/Berlin)",
  "source":{"type":"cron","cron":"0 3 * * *","tz":"Europe/Berlin"},
  "next_at":"2030-12-24T18:00:00.000Z","run":{"command":["./b"],"cwd":"/srv"}})json";

class Edits : public ::testing::Test {
 protected:
  ProgramResult says(const std::vector<std::string>& words, const std::string& input = "") {
    return Program(words, {.home = daemon_.home(), .input = input}).wait();
  }
  object sent(const char* method, const char* path, size_t count = 1) {
    return boost::json::parse(daemon_.await(method, path, count).body).get_object();
  }

  std::string answer_ = kNightly;
  FakeDaemon daemon_{[this](const ReceivedRequest&, Reply& reply) { reply.json(200, answer_); }};
};

// `trigger edit` sends only what was given: a time zone alone, and a command without the current
// directory.
TEST_F(Edits, OfATriggerSendOnlyWhatWasGiven) {
  EXPECT_EQ(says({"trigger", "edit", "nb", "--tz", "Asia/Tokyo"}).code, 0);
  EXPECT_EQ(sent("PUT", "/api/triggers/nb"),
            (object{{"source", {{"type", "cron"}, {"tz", "Asia/Tokyo"}}}}));
  const ProgramResult changed = says({"trigger", "edit", "nb", "--", "./c"});
  EXPECT_EQ(sent("PUT", "/api/triggers/nb", 2), (object{{"run", {{"command", {"./c"}}}}}));
  EXPECT_NE(changed.out.find("nothing changed"), std::string::npos) << changed.out;
  const ProgramResult wrong = says({"trigger", "edit", "nb", "--selector", "a"});
  EXPECT_EQ(wrong.code, 2);
  EXPECT_NE(wrong.err.find("--selector requires --page"), std::string::npos) << wrong.err;
}

// The confirmation and `show` say that the next time is local, because the zone of the schedule is
// another one.
TEST_F(Edits, OfATriggerNameTheLocalTime) {
  const ProgramResult shown = says({"trigger", "show", "nb"});
  EXPECT_NE(shown.out.find("2030-12-24 18:00:00 local time"), std::string::npos) << shown.out;
  EXPECT_NE(shown.out.find("(Europe/Berlin)"), std::string::npos) << shown.out;
  const ProgramResult edited = says({"trigger", "edit", "nb", "--cron", "0 3 * * *"});
  EXPECT_NE(edited.out.find(" local time"), std::string::npos) << edited.out;
}

// `trigger add --at 2h` means in two hours.
TEST_F(Edits, ATriggerIsAddedInTwoHours) {
  const WallMs before = SystemClock{}.wall_ms();
  EXPECT_EQ(says({"trigger", "add", "x", "--at", "2h", "--", "true"}).code, 0);
  const object body = sent("POST", "/api/triggers");
  const auto at = parse_rfc3339(text_in(object_in(body, "source"), "at"));
  ASSERT_TRUE(at);
  constexpr WallMs kTwoHours = 7'200'000;
  EXPECT_GE(*at, before + kTwoHours);
  EXPECT_LE(*at, SystemClock{}.wall_ms() + kTwoHours);
}

// A source without what it needs is refused with the options that are missing.
TEST_F(Edits, ATriggerNeedsWholeSources) {
  for (const auto& [option, text] :
       {std::pair("--webhook", "--webhook requires --secret-file FILE or --secret-env NAME"),
        std::pair("--page", "--page requires --selector CSS")}) {
    const ProgramResult refused = says({"trigger", "add", "x", option, "a", "--", "true"});
    EXPECT_EQ(refused.code, 2);
    EXPECT_NE(refused.err.find(text), std::string::npos) << refused.err;
  }
}

// A trigger on events without a history has received none; one with a schedule has not been due.
TEST_F(Edits, AnEmptyHistoryIsExplained) {
  answer_ = R"({"entries":[],"source":{"type":"webhook","path":"a"}})";
  EXPECT_EQ(says({"trigger", "history", "x"}).err, "drover: x has received no event yet\n");
  answer_ = R"({"entries":[],"source":{"type":"every","every":"1h"}})";
  EXPECT_EQ(says({"trigger", "history", "x"}).err, "drover: x has not been due yet\n");
}

// An empty input does not erase a memory; an empty text does.
TEST_F(Edits, OfAMemoryNeedAText) {
  answer_ = R"({"text":""})";
  const ProgramResult refused = says({"memory", "write", "user"});
  EXPECT_EQ(refused.code, 2);
  EXPECT_NE(refused.err.find("drover memory write user --text ''"), std::string::npos)
      << refused.err;
  EXPECT_EQ(daemon_.count("PUT", "/"), 0U);
  EXPECT_EQ(says({"memory", "write", "user", "--text", ""}).code, 0);
  EXPECT_EQ(sent("PUT", "/"), (object{{"text", ""}}));
  EXPECT_EQ(says({"memory", "write", "user"}, "new\n").code, 0);
  EXPECT_EQ(sent("PUT", "/", 2), (object{{"text", "new\n"}}));
}

// A file of variables belongs to a trigger, and to a retry by hand, as to a run; --env wins.
TEST_F(Edits, VariablesMayComeFromAFile) {
  const std::string file = daemon_.home() + "/job.env";
  std::ofstream(file) << "A=1\nB=2\n";
  EXPECT_EQ(
      says({"trigger", "add", "nb", "--every", "1h", "-e", "B=3", "--env-file", file, "--", "./b"})
          .code,
      0);
  EXPECT_EQ(object_in(object_in(sent("POST", "/api/triggers"), "run"), "env"),
            (object{{"A", "1"}, {"B", "3"}}));
  EXPECT_TRUE(says({"trigger", "edit", "nb", "--env-file", file}).out.contains("variables"));
  EXPECT_EQ(object_in(object_in(sent("PUT", "/api/triggers/nb"), "run"), "env"),
            (object{{"A", "1"}, {"B", "2"}}));
  answer_ = R"({"run_id":"run_01jcqz5k3m8x2v7n4b9c6d1f0g"})";
  EXPECT_EQ(says({"retry", "run_01jcqz5k3m8x2v7n4b9c6d1f0g", "--env-file", file}).code, 0);
  EXPECT_EQ(text_in(object_in(sent("POST", "/api/runs/"), "env"), "B"), "2");
}

// The first write of a memory leaves no older version, and `log` says so.
TEST_F(Edits, AMemoryMayHaveNoOlderVersions) {
  answer_ = R"({"versions":[]})";
  EXPECT_EQ(says({"memory", "log", "user"}).err, "drover: memory user has no older versions\n");
}

// An unknown type of report is refused with the types, and with the command that asks.
TEST_F(Edits, AReportHasAKnownType) {
  const ProgramResult refused = says({"report", "escalation", "Deploy?"});
  EXPECT_EQ(refused.code, 2);
  EXPECT_NE(refused.err.find("unknown TYPE \"escalation\": use `run_complete`, `run_skipped`, "
                             "`milestone` or `output`; to ask, use `drover ask`"),
            std::string::npos)
      << refused.err;
}

// Errors of the daemon about an option have its name.
TEST_F(Edits, AreRefusedWithTheNameOfTheOption) {
  FakeDaemon daemon([](const ReceivedRequest& heard, Reply& reply) {
    const bool is_list = heard.method == "GET";
    const std::string field = is_list ? "state" : "can";
    reply.json(400, R"({"error":{"type":"invalid_request_error","code":"invalid_value","param":")" +
                        field + R"(","message":")" + field + R"( must be known"}})");
  });
  EXPECT_NE(drover_says({"ps", "--state", "x"}, daemon.home()).err.find("--state must be known"),
            std::string::npos);
  EXPECT_NE(
      drover_says({"token", "create", "--can", "x"}, daemon.home()).err.find("--can must be known"),
      std::string::npos);
}

}  // namespace
}  // namespace drover::cli
