#include "cli/help/hints.h"

#include <gtest/gtest.h>

#include "cli/every_command.h"
#include "cli/explain.h"
#include "cli/parse.h"

namespace drover::cli {
namespace {

std::string said(const std::vector<std::string>& words) {
  const auto parsed = parse(every_command(), words);
  return parsed ? "understood" : parsed.error().message;
}

// S1: who mistypes a command or an option is told the nearest one, in our own words.
TEST(Hints, TheNearestOne) {
  const std::vector<std::pair<std::vector<std::string>, std::string>> table{
      {{"log", "x"},
       "there is no command `log`; did you mean `drover logs`? `drover --help` explains"},
      {{"cancle", "x"}, "did you mean `drover cancel`?"},
      {{"logs", "--folow", "x"},
       "there is no option --folow; did you mean --follow? `drover logs --help` explains"},
      {{"logs", "--foll=1", "x"}, "did you mean --follow?"},
      {{"logs", "-fq", "x"}, "there is no option -q; `drover logs --help` explains"},
      {{"logs", "x", "-n"}, "-n takes a value: N; `drover logs --help` explains"},
      {{"logs", "--follow=yes", "x"}, "--follow takes no value"},
      {{"run", "--lnae", "a", "--", "x"}, "did you mean --lane?"},
      {{"xyzzy"}, "there is no command `xyzzy`; `drover --help` explains"},
  };
  for (const auto& [words, text] : table) {
    EXPECT_NE(said(words).find(text), std::string::npos) << words[0] << ": " << said(words);
  }
}

// Who comes from another program is told what its word is called here.
TEST(Hints, OtherProgramsWords) {
  EXPECT_NE(said({"add", "sleep", "1"}).find("`drover run -d"), std::string::npos);
  EXPECT_NE(said({"status", "run_x"}).find("`drover show RUN`"), std::string::npos);
  EXPECT_NE(said({"run", "-P", "8", "true"}).find("-j N"), std::string::npos);
  EXPECT_EQ(said({"kill", "run_x"}), "understood");
}

// What looks like an option and is none is left alone: numbers, values, another program's words.
TEST(Hints, WhatIsNoOption) {
  EXPECT_EQ(said({"priority", "run_x", "-5"}), "understood");
  EXPECT_EQ(said({"run", "ls", "--bogus", "-Q"}), "understood");
  EXPECT_EQ(said({"events", "-fn5"}), "understood");
  EXPECT_EQ(said({"send", "run_x", "--", "--bogus"}), "understood");
}

// S1: an error names what was typed, not the field that it became; a sentence stays one.
TEST(Hints, ErrorsNameTheOption) {
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

}  // namespace
}  // namespace drover::cli
