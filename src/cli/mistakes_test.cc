// Mistakes that people make, and the messages that help them on. The real program against a
// scripted daemon.
#include <gtest/gtest.h>

#include <boost/json/parse.hpp>

#include "base/clock.h"
#include "cli/client/fake_daemon.h"
#include "cli/fields.h"
#include "cli/views/words.h"

namespace drover::cli {
namespace {

using boost::json::object;
using Words = std::vector<std::string>;

class Mistakes : public ::testing::Test {
 protected:
  // The message, and 2 as the exit code. No request reaches the daemon.
  std::string refused(const Words& words) {
    const ProgramResult ended = drover_says(words, daemon_.home());
    EXPECT_EQ(ended.code, 2) << ended.err;
    EXPECT_EQ(daemon_.count("POST", "/") + daemon_.count("PUT", "/"), 0U);
    return ended.err;
  }
  void refuses_with(const std::string& param, const std::string& message) {
    status_ = 400;
    answer_ = R"({"error":{"type":"invalid_request_error","code":"invalid_value","param":")" +
              param + R"(","message":)" + boost::json::serialize(boost::json::string(message)) +
              "}}";
  }

  unsigned status_ = 200;
  std::string answer_ = "{}";
  FakeDaemon daemon_{[this](const ReceivedRequest& heard, Reply& reply) {
    if (heard.method == "GET") return reply.json(200, R"({"source":{"type":"event"}})");
    reply.json(status_, answer_);
  }};
};

// A trigger without a name: the first word after -- is the command.
TEST_F(Mistakes, AForgottenNameOfATriggerIsNotTheCommand) {
  EXPECT_EQ(refused({"trigger", "add", "--every", "1m", "--", "make", "tidy"}),
            "drover: name the trigger before --: drover trigger add NAME … -- make …\n");
  EXPECT_EQ(refused({"trigger", "edit", "--every", "1m", "--", "make"}),
            "drover: name the trigger before --: drover trigger edit NAME … -- make …\n");
}

// A time that is none is named, with the forms that are accepted.
TEST_F(Mistakes, AnInvalidTimeIsNamed) {
  EXPECT_EQ(refused({"trigger", "add", "x", "--at", "5pm", "--", "make"}),
            "drover: --at: invalid time \"5pm\": write 03:00, '2026-11-18 03:00' or "
            "2026-11-18T03:00:00Z; or a time from now, such as 2h\n");
}

// A local time is sent as an instant.
TEST_F(Mistakes, ALocalTimeIsAccepted) {
  (void)drover_says({"trigger", "add", "x", "--at", "2030-12-24 18:00", "--", "make"},
                    daemon_.home());
  const object sent = boost::json::parse(daemon_.await("POST", "/api/triggers").body).get_object();
  EXPECT_TRUE(parse_rfc3339(text_in(object_in(sent, "source"), "at")));
}

// The error of a field that two options can set names the one that was typed.
TEST_F(Mistakes, AnErrorNamesTheOptionThatWasTyped) {
  refuses_with("source.on", "unknown kind of change \"x\": use created");
  EXPECT_EQ(drover_says({"trigger", "add", "x", "--file", "*", "--change", "x", "--", "make"},
                        daemon_.home())
                .err,
            "drover: --change: unknown kind of change \"x\": use created\n");
  refuses_with("source.url", "127.0.0.1 is a private address; set allow_private if so intended");
  EXPECT_EQ(drover_says({"trigger", "add", "x", "--feed", "http://127.0.0.1/", "--", "make"},
                        daemon_.home())
                .err,
            "drover: 127.0.0.1 is a private address; set --allow-private if so intended\n");
}

// A filter of a trigger whose new source cannot have one: the message says how to remove it.
TEST_F(Mistakes, AKeptFilterIsNamedAndCanBeRemoved) {
  refuses_with("filters", "filters is for triggers on events; remove it");
  EXPECT_EQ(drover_says({"trigger", "edit", "x", "--every", "1m"}, daemon_.home()).err,
            "drover: --filter is for triggers on events, and x has it; remove it with --filter "
            "''\n");
  (void)drover_says({"trigger", "edit", "x", "--filter", "", "--dedup", ""}, daemon_.home());
  EXPECT_EQ(boost::json::parse(daemon_.await("PUT", "/api/triggers/x", 2).body),
            (object{{"filters", nullptr}, {"dedup", nullptr}}));
}

// Options of `run` that exclude each other, and a list that cannot be read, are usage errors.
TEST_F(Mistakes, OfRunAreUsageErrors) {
  EXPECT_TRUE(refused({"run", "-i", "-t", "--", "sh"})
                  .starts_with("drover: --stdin and --pty cannot be combined"));
  EXPECT_TRUE(refused({"run", "--each-file", "/no/such/file", "--", "sh"})
                  .starts_with("drover: --each-file: cannot open /no/such/file: "));
  EXPECT_EQ(refused({"run", "--env-file", "/no/such/file", "--", "sh"}),
            "drover: --env-file: cannot open /no/such/file: No such file or directory\n");
}

// An answer that is none of the choices is text, and the message names the option for text.
TEST_F(Mistakes, AnotherAnswerIsSentWithAnOption) {
  refuses_with("choice", "choice must be one of: yes, no; send any other answer as text");
  EXPECT_EQ(drover_says({"answer", "question_1", "maybe"}, daemon_.home()).err,
            "drover: choice must be one of: yes, no; send any other answer with --text\n");
}

// A setting with a similar name is suggested.
TEST_F(Mistakes, AMistypedSettingIsCorrected) {
  EXPECT_EQ(
      drover_says({"config", "set", "run.timout", "5m"}, daemon_.home()).err,
      "drover: unknown setting \"run.timout\"; did you mean run.timeout? `drover config show` "
      "lists all settings\n");
}

// Arguments in the wrong order: the id of a run is not shouted at as a signal.
TEST_F(Mistakes, ARunIsNotASignal) {
  (void)drover_says({"signal", "HUP", "run_01jc"}, daemon_.home());
  EXPECT_EQ(boost::json::parse(daemon_.await("POST", "/api/runs/HUP/signal").body),
            (object{{"signal", "run_01jc"}}));
}

}  // namespace
}  // namespace drover::cli
