#include "cli/parse.h"

#include <gtest/gtest.h>

#include "cli/every_command.h"
#include "cli/help/topics.h"

namespace drover::cli {
namespace {

using Words = std::vector<std::string>;

Result<Parsed> typed(const Words& words) {
  return parse(every_command(), words);
}

// R15: everything after the command's own options belongs to the program, including options.
TEST(Parse, PassesTheProgramsOptionsThrough) {
  for (const Words& line : {Words{"run", "-d", "--name", "x", "--", "ls", "-d", "--json"},
                            Words{"run", "-d", "--name=x", "ls", "-d", "--json"}}) {
    const auto parsed = typed(line);
    ASSERT_TRUE(parsed) << parsed.error().message;
    EXPECT_EQ(parsed->arguments.words, (Words{"ls", "-d", "--json"}));
    EXPECT_EQ(parsed->arguments.text("name"), "x");
    EXPECT_TRUE(parsed->arguments.has("detach"));
    EXPECT_FALSE(parsed->json);
  }
}

// Only the first "--" belongs to Drover.
TEST(Parse, PassesTheSecondDoubleDashThrough) {
  EXPECT_EQ(typed({"run", "--", "git", "log", "--", "x"})->arguments.words,
            (Words{"git", "log", "--", "x"}));
  EXPECT_EQ(typed({"run", "--", "--", "x"})->arguments.words, (Words{"--", "x"}));
}

// An option that may be repeated keeps all its values and does not take the words after them.
TEST(Parse, RepeatedOptionsKeepAllValues) {
  const auto parsed = typed({"run", "--label", "a=1", "-l", "b=2", "--env", "K=v", "true", "x"});
  ASSERT_TRUE(parsed) << parsed.error().message;
  EXPECT_EQ(parsed->arguments.all("label"), (Words{"a=1", "b=2"}));
  EXPECT_EQ(parsed->arguments.words, (Words{"true", "x"}));
}

// An option takes exactly one value, not the words after it.
TEST(Parse, AnOptionTakesOneValue) {
  const auto parsed = typed({"logs", "--tail", "1", "run_a"});
  ASSERT_TRUE(parsed) << parsed.error().message;
  EXPECT_EQ(parsed->arguments.words, (Words{"run_a"}));
  EXPECT_EQ(parsed->arguments.text("tail"), "1");
}

// "--" is not the value of an option: the value is missing.
TEST(Parse, TwoDashesAreNotAValue) {
  const auto parsed = typed({"run", "--timeout", "--", "true"});
  ASSERT_FALSE(parsed);
  EXPECT_EQ(parsed.error().message, "--timeout needs a value: DURATION; see `drover run --help`");
  EXPECT_EQ(typed({"attach", "--detach-keys", "", "--", "x"})->arguments.text("detach-keys"), "");
}

// A command learns which words stand before "--".
TEST(Parse, CountsTheWordsBeforeTwoDashes) {
  EXPECT_EQ(typed({"trigger", "add", "x", "--every", "1m", "--", "a", "b"})
                ->arguments.words_before_dashes,
            1);
  EXPECT_EQ(typed({"trigger", "add", "--every", "1m", "--", "a"})->arguments.words_before_dashes,
            0);
  EXPECT_FALSE(typed({"trigger", "add", "x", "a"})->arguments.words_before_dashes);
}

// `drover help` explains one command; a word after it that is none is not ignored.
TEST(Parse, HelpRefusesAnotherWord) {
  EXPECT_FALSE(typed({"help", "run", "trigger"}));
  EXPECT_TRUE(typed({"help", "lane", "set"}));
  EXPECT_TRUE(typed({"help", "run", "--json"}));
}

// Global options are accepted before and after the command.
TEST(Parse, AcceptsGlobalOptionsAnywhere) {
  EXPECT_TRUE(typed({"--json", "ps"})->json);
  EXPECT_TRUE(typed({"ps", "--json"})->json);
  EXPECT_EQ(typed({"--color", "never", "ps"})->color, ColorMode::never);
  EXPECT_TRUE(typed({"--no-start", "--json", "run", "true"})->no_start);
}

// Finds commands of two words, and aliases.
TEST(Parse, FindsNamesAndAliases) {
  EXPECT_EQ(typed({"lane", "set", "x", "3"})->command, &kLaneSet);
  EXPECT_EQ(typed({"ls"})->command, &kPs);
  EXPECT_EQ(typed({"get", "run_x"})->command, &kShow);
}

// S1: invalid input is a usage error that names the help page.
TEST(Parse, InvalidInputNamesTheHelpPage) {
  for (const Words& line : {Words{"fly"}, Words{"run"}, Words{"run", "--"}, Words{"ps", "--bogus"},
                            Words{"show"}, Words{"lane", "set", "x"}, Words{"run", "--bogus", "x"},
                            Words{"ps", "--color", "pink"}, Words{"status", "now"}}) {
    const auto parsed = typed(line);
    ASSERT_FALSE(parsed) << line.front();
    EXPECT_EQ(parsed.error().code, ErrorCode::invalid);
  }
  EXPECT_NE(typed({"ps", "--bogus"}).error().message.find("drover ps --help"), std::string::npos);
}

// `--` without a command gets a suggestion.
TEST(Parse, SuggestsRunBeforeDoubleDash) {
  EXPECT_EQ(typed({"--", "true"}).error().message,
            "`drover --` is not a command; did you mean `drover run -- true`? See `drover --help`");
}

// Every form of asking for help works, for every command.
TEST(Parse, EveryFormOfHelpWorks) {
  EXPECT_TRUE(typed({"--help"})->help);
  EXPECT_TRUE(typed({"help"})->help);
  EXPECT_EQ(typed({"help"})->command, nullptr);
  EXPECT_TRUE(typed({"help", "help"})->help);
  EXPECT_EQ(typed({"help", "run"})->command, &kRun);
  EXPECT_EQ(typed({"help", "lane", "set"})->command, &kLaneSet);
  EXPECT_TRUE(typed({"help", "lane", "set"})->help);
  EXPECT_TRUE(typed({"run", "--help"})->help);
  EXPECT_EQ(typed({"lane"})->noun, "lane");
  EXPECT_FALSE(typed({"lane"})->help);
  EXPECT_TRUE(typed({"lane", "--help"})->help);
  EXPECT_TRUE(typed({"help", "lane"})->help);
  for (const Topic& topic : topics()) {
    EXPECT_EQ(typed({"help", std::string(topic.name)})->topic, &topic);
  }
  EXPECT_EQ(typed({"help", "nonsense"}).error().reason, "usage");
  EXPECT_EQ(typed({"lane", "nonsense"}).error().reason, "usage");
}

// `drover` alone is valid, and its options are checked.
TEST(Parse, DroverAloneIsValid) {
  EXPECT_EQ(typed({})->command, nullptr);
  EXPECT_FALSE(typed({})->help);
  EXPECT_TRUE(typed({"--json"})->json);
  EXPECT_EQ(typed({"--color", "never"})->color, ColorMode::never);
  for (const Words& line : {Words{"--bogus"}, Words{"--color"}, Words{"--color", "pink"}}) {
    EXPECT_FALSE(typed(line)) << line.back();
  }
}

// The usual ways to ask for the version all work.
TEST(Parse, EveryFormOfVersionWorks) {
  for (const Words& line : {Words{"version"}, Words{"--version"}, Words{"-V"}}) {
    EXPECT_EQ(typed(line)->command, &kVersion) << line[0];
  }
  EXPECT_TRUE(typed({"--json", "--version"})->json);
}

}  // namespace
}  // namespace drover::cli
