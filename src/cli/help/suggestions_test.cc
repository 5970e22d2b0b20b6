#include "cli/help/suggestions.h"

#include <gtest/gtest.h>

#include "cli/every_command.h"
#include "cli/explain.h"
#include "cli/parse.h"

namespace drover::cli {
namespace {

std::string message(const std::vector<std::string>& words) {
  const auto parsed = parse(every_command(), words);
  return parsed ? "understood" : parsed.error().message;
}

void expect_message(const std::vector<std::string>& words, std::string_view text) {
  std::string line;
  for (const std::string& word : words) line += " " + word;
  EXPECT_NE(message(words).find(text), std::string::npos) << line << ": " << message(words);
}

// S1: a mistyped command or option gets the nearest one as a suggestion.
TEST(Suggestions, SuggestsTheNearestName) {
  expect_message({"log", "x"},
                 "unknown command `log`; did you mean `drover logs`? See `drover --help`");
  expect_message({"cancle", "x"}, "did you mean `drover cancel`?");
  expect_message({"stauts"}, "did you mean `drover status`?");
  expect_message({"logs", "--folow", "x"},
                 "unknown option --folow; did you mean --follow? See `drover logs --help`");
  expect_message({"logs", "--foll=1", "x"}, "did you mean --follow?");
  expect_message({"logs", "-fq", "x"}, "unknown option -q; see `drover logs --help`");
  expect_message({"logs", "x", "-n"}, "-n needs a value: N; see `drover logs --help`");
  expect_message({"logs", "--follow=yes", "x"}, "--follow does not take a value");
  expect_message({"run", "--lnae", "a", "--", "x"}, "did you mean --lane?");
  expect_message({"run", "--time", "1s", "--", "x"}, "did you mean --timeout?");
  expect_message({"lane", "resum", "x"}, "did you mean `drover lane resume`?");
  expect_message({"help", "exit-code"}, "did you mean `drover help exit-codes`?");
  expect_message({"help", "runn"}, "did you mean `drover help run`?");
}

// `drover` alone also has options, and an unknown one is an error.
TEST(Suggestions, ChecksOptionsWithoutACommand) {
  expect_message({"--verison"},
                 "unknown option --verison; did you mean --version? See `drover --help`");
  expect_message({"--versoin"}, "did you mean --version?");
  expect_message({"-v"}, "`drover --version` prints the version");
  expect_message({"ps", "--version"}, "`drover --version` prints the version");
  expect_message({"--hepl"}, "did you mean --help?");
  expect_message({"--bogus"}, "unknown option --bogus; see `drover --help`");
}

// A word that resembles no name gets no suggestion: a wrong one is worse than none.
TEST(Suggestions, SuggestsNothingForOtherWords) {
  for (const std::vector<std::string>& words :
       std::vector<std::vector<std::string>>{{"xyzzy"},
                                             {"ab"},
                                             {"pt"},
                                             {"staged"},
                                             {"toast"},
                                             {"ps", "--at", "x"},
                                             {"ps", "--in", "x"},
                                             {"logs", "--grep", "x"},
                                             {"run", "--user", "x", "true"}}) {
    EXPECT_EQ(message(words).find("did you mean"), std::string::npos) << message(words);
  }
  EXPECT_EQ(message({"xyzzy"}), "unknown command `xyzzy`; see `drover --help`");
  expect_message({"help", "xyzzy"},
                 "unknown command or topic `xyzzy`; the topics are handles, exit-codes, "
                 "environment, retries, limits; see `drover --help`");
}

// Suggestions allow one error per three letters, and none in a word of two.
TEST(Suggestions, AllowsOneErrorPerThreeLetters) {
  const auto is_near = [](std::string_view typed, const std::string& known) {
    return !nearest(typed, std::vector{known}).empty();
  };
  EXPECT_FALSE(is_near("at", "pty"));
  EXPECT_FALSE(is_near("in", "env"));
  EXPECT_FALSE(is_near("edit", "wait"));
  EXPECT_FALSE(is_near("rerun", "run"));
  EXPECT_FALSE(is_near("host", "json"));
  EXPECT_TRUE(is_near("runn", "run"));
  EXPECT_TRUE(is_near("cnacel", "cancel"));
  EXPECT_TRUE(is_near("cancelll", "cancel"));
  EXPECT_TRUE(is_near("verison", "version"));
}

// Words of other programs get the Drover command as a suggestion.
TEST(Suggestions, KnowsWordsOfOtherPrograms) {
  expect_message({"add", "sleep", "1"}, "`drover run -d");
  expect_message({"rerun", "x"}, "`drover retry RUN`");
  expect_message({"restart", "x"}, "`drover retry RUN`");
  expect_message({"stop-run", "x"}, "`drover cancel RUN`");
  expect_message({"list"}, "`drover ps`");
  expect_message({"inspect", "x"}, "`drover show RUN`");
  expect_message({"describe", "x"}, "`drover show RUN`");
  expect_message({"edit", "x"}, "a run cannot be edited: cancel it and run the new command");
  expect_message({"lane", "add", "x"}, "unknown command `lane add`; `drover lane set LANE N`");
  expect_message({"lane", "list"}, "did you mean `drover lane ls`?");
  expect_message({"token", "rm", "x"}, "did you mean `drover token revoke`?");
  EXPECT_EQ(message({"lane", "xyzzy"}),
            "unknown command `lane xyzzy`; `drover help lane` lists the commands");
  EXPECT_EQ(message({"trigger", "shwo"}),
            "unknown command `trigger shwo`; did you mean `drover trigger show`?");
  expect_message({"memory", "list"}, "did you mean `drover memory ls`?");
  expect_message({"status", "run_x"}, "`drover show RUN`");
  expect_message({"stop", "run_x"}, "`drover cancel RUN`");
  expect_message({"run", "-P", "8", "true"}, "-j N");
  expect_message({"run", "--at", "12:00", "true"}, "`drover trigger add NAME --at TIME");
  expect_message({"run", "--in", "5m", "true"}, "`drover trigger add NAME --at TIME");
  expect_message({"cron", "ls"}, "`drover trigger add NAME --cron TIMES");
  expect_message({"trigger", "remove", "x"}, "did you mean `drover trigger rm`?");
  expect_message({"ps", "--host", "x"}, "the daemon on this machine only");
  EXPECT_EQ(message({"kill", "run_x"}), "understood");
  EXPECT_EQ(message({"ls"}), "understood");
}

// Negative numbers, values and the arguments of another program are not mistaken for options.
TEST(Suggestions, DoesNotMistakeValuesForOptions) {
  EXPECT_EQ(message({"priority", "run_x", "-5"}), "understood");
  EXPECT_EQ(message({"run", "ls", "--bogus", "-Q"}), "understood");
  EXPECT_EQ(message({"events", "-fn5"}), "understood");
  EXPECT_EQ(message({"send", "run_x", "--", "--bogus"}), "understood");
}

// S1: an error names the option that was typed instead of the API's field, and stays a correct
// sentence.
TEST(Suggestions, ErrorsNameTheOption) {
  const auto told = [](const char* param, const char* message) {
    return in_options({.code = ErrorCode::invalid,
                       .reason = "invalid_value",
                       .message = message,
                       .param = param},
                      kRun.options)
        .message;
  };
  EXPECT_EQ(told("limits.memory", "limits.memory must be more than nothing"),
            "--memory must be more than nothing");
  EXPECT_EQ(told("limits.on_output", "limits.on_output goes with limits.output"),
            "--on-output-limit goes with --output-limit");
  EXPECT_EQ(told("retry", "retry.max is at most 100"), "--retry is at most 100");
  EXPECT_EQ(told("idle_timeout", "invalid duration \"soon\""),
            "--idle-timeout: invalid duration \"soon\"");
  EXPECT_EQ(told("lane", "a lane's name has 1 to 64 letters"),
            "--lane: a lane's name has 1 to 64 letters");
  EXPECT_EQ(told("priority", "priority is a number"), "--priority is a number");
  EXPECT_EQ(told("run_id", "there is no run name"), "there is no run name");
}

// Of two options with one field, the error names the one that was typed.
TEST(Suggestions, ErrorsNameTheOptionThatWasTyped) {
  const Option options[] = {{"on", 0, Takes::text, "", "", "source.on"},
                            {"change", 0, Takes::many, "", "", "source.on"}};
  Arguments arguments;
  arguments.options["change"] = {"modified"};
  const Error error{.code = ErrorCode::invalid,
                    .reason = "invalid_value",
                    .message = "use created",
                    .param = "source.on"};
  EXPECT_EQ(in_options(error, typed_options(options, arguments)).message, "--change: use created");
  EXPECT_EQ(typed_options(options, {}).size(), 2);
}

// The options of the daemon are typed after two dashes.
TEST(Suggestions, OptionsOfTheDaemonBelongAfterTwoDashes) {
  EXPECT_EQ(message({"serve", "--listen", "127.0.0.1:1"}),
            "unknown option --listen; type it after --: `drover serve -- --listen …`; see `drover "
            "serve --help`");
}

}  // namespace
}  // namespace drover::cli
