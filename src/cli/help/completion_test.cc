#include "cli/help/completion.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "cli/every_command.h"
#include "cli/help/manual.h"

namespace drover::cli {
namespace {

// S1: the kind of each word follows from the commands' descriptions.
TEST(Completion, FindsTheKindOfTheNextWord) {
  struct Case {
    std::vector<std::string> words;
    std::string what;
    std::string typed;
  };
  for (const Case& c : std::vector<Case>{
           {{""}, "COMMAND", ""},
           {{"r"}, "COMMAND", "r"},
           {{"--json", "r"}, "COMMAND", "r"},
           {{"--color", ""}, "WHEN", ""},
           {{"help", "r"}, "COMMAND", "r"},
           {{"lane", "s"}, "COMMAND", "s"},
           {{"lane", "set", ""}, "LANE", ""},
           {{"lane", "set", "x", ""}, "LIMIT", ""},
           {{"lane", "set", "x", "1", ""}, "", ""},
           {{"show", "--j"}, "OPTION", "--j"},
           {{"show", "a", "b"}, "RUN", "b"},
           {{"show", "--", "-b"}, "RUN", "-b"},
           {{"logs", "-n", "5", "@"}, "RUN", "@"},
           {{"logs", "-n5", "@"}, "RUN", "@"},
           {{"run", "--lane", "b"}, "LANE", "b"},
           {{"run", "--lane=b"}, "LANE", "b"},
           {{"run", "--name", "--lane", ""}, "PROGRAM", ""},
           {{"run", "--", "ma"}, "PROGRAM", "ma"},
           {{"run", "make", "--lane", "x"}, "ARGUMENT", "x"},
           {{"run", "make", "-"}, "ARGUMENT", "-"},
           {{"signal", "a", "T"}, "SIGNAL", "T"},
           {{"nonsense", "x", ""}, "COMMAND", ""},
           {{}, "COMMAND", ""},
       }) {
    const CompletionRequest wanted = what_is_wanted(every_command(), c.words);
    const std::string last = c.words.empty() ? "nothing" : c.words.back();
    EXPECT_EQ(wanted.what, c.what) << last;
    EXPECT_EQ(wanted.typed, c.typed) << last;
  }
}

std::vector<std::string> texts(const std::vector<std::string>& words) {
  std::vector<std::string> out;
  for (const Candidate& candidate :
       candidates(every_command(), what_is_wanted(every_command(), words))) {
    out.push_back(candidate.text);
  }
  return out;
}

// S1: candidates that need no daemon are suggested as they would be typed; hidden commands are not.
TEST(Completion, SuggestsCandidates) {
  using Texts = std::vector<std::string>;
  EXPECT_EQ(texts({"wa"}), Texts{"wait"});
  EXPECT_EQ(texts({"_"}), Texts{});
  EXPECT_EQ(texts({"la"}), Texts{"lane"});
  EXPECT_EQ(texts({"run", "--on-restart=f"}), Texts{"--on-restart=fail"});
  EXPECT_EQ(texts({"ps", "--state", "ti"}), Texts{"timed_out"});
  EXPECT_EQ(texts({"run", "--cwd", ""}), Texts{":directories"});
  EXPECT_EQ(texts({"signal", "x", "KI"}), Texts{"KILL"});
  EXPECT_EQ(texts({"run", "--idle"}), Texts{"--idle-timeout"});
  EXPECT_EQ(texts({"run", "--on-output-limit", ""}), (Texts{"keep", "end"}));
  EXPECT_EQ(texts({"init", ""}), Texts{":directories"});
  EXPECT_EQ(texts({"--vers"}), Texts{"--version"});
  EXPECT_EQ(texts({"help", "ex"}), (Texts{"export", "exit-codes"}));
  EXPECT_EQ(texts({"ex"}), Texts{"export"});
}

// A program without a room suggests all commands except those of that room.
TEST(Completion, OmitsTheCommandsOfAMissingRoom) {
  const auto without = commands_with({});
  EXPECT_EQ(
      without.size() + play_commands().size() + trigger_commands().size() + inbox_commands().size(),
      every_command().size());
  for (const Command* command : play_commands()) {
    EXPECT_EQ(std::ranges::find(without, command), without.end()) << command->name;
  }
}

// Every command that takes a project completes it through the daemon.
TEST(Completion, ProjectCommandsCompleteProjects) {
  for (const Command* command : every_command()) {
    const bool wants = command->words.find("PROJECT") != std::string_view::npos;
    EXPECT_EQ(std::ranges::count(command->offers, "PROJECT", &Offer::what) == 1, wants)
        << command->name;
  }
}

// Every command that takes a trigger completes it through the daemon.
TEST(Completion, TriggerCommandsCompleteTriggers) {
  for (const Command* command : every_command()) {
    const bool wants = command->words.find("TRIGGER") != std::string_view::npos;
    EXPECT_EQ(std::ranges::count(command->offers, "TRIGGER", &Offer::what) == 1, wants)
        << command->name;
  }
}

// S1: every command that is not hidden has a manual page with all its options.
TEST(Completion, ManualDescribesEveryCommand) {
  const std::string all = manual_page(every_command());
  for (const Command* command : every_command()) {
    const std::string page = manual_page(*command);
    EXPECT_EQ(all.find("\\fB" + std::string(command->name) + "\\fR\n") != std::string::npos,
              !command->hidden)
        << command->name;
    for (const Option& option : command->options) {
      std::string name(option.name);
      for (size_t at = 0; (at = name.find('-', at)) != std::string::npos; at += 2) {
        name.insert(at, "\\");
      }
      EXPECT_NE(page.find("\\-\\-" + name), std::string::npos) << option.name;
    }
  }
}

}  // namespace
}  // namespace drover::cli
