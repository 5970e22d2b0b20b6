// Checks the texts of the help against the writing rules, and their commands against the parser.
#include "cli/help/help.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "cli/commands/overview.h"
#include "cli/documents_fixture.h"
#include "cli/every_command.h"
#include "cli/help/manual.h"
#include "cli/help/suggestions.h"
#include "cli/help/topics.h"
#include "cli/parse.h"
#include "testing/plain_words.h"

namespace drover::cli {
namespace {

using Violations = std::vector<std::string>;

void expect_none(const Violations& violations, std::string_view where) {
  for (const std::string& one : violations) ADD_FAILURE() << where << ": " << one;
}

std::vector<const Command*> shown() {
  std::vector<const Command*> out = every_command();
  std::erase_if(out, [](const Command* command) { return command->hidden; });
  return out;
}

size_t examples_of(const Command& command) {
  return static_cast<size_t>(std::ranges::count_if(
      command.examples, [](const Example& example) { return !example.line.empty(); }));
}

std::vector<Words> calls_in(std::string_view line) {
  return drover_lines("```sh\n" + std::string(line) + "\n```\n");
}

// The texts in `backquotes` that are drover commands.
std::vector<std::string> quoted_calls(std::string_view text) {
  std::vector<std::string> out;
  for (size_t at = text.find('`'); at != std::string_view::npos; at = text.find('`', at + 1)) {
    const size_t end = text.find('`', at + 1);
    if (end == std::string_view::npos) break;
    std::string quoted(text.substr(at + 1, end - at - 1));
    if (quoted.find("drover ") != std::string::npos) out.push_back(std::move(quoted));
    at = end;
  }
  return out;
}

// The sentences and table cells of a topic.
std::vector<std::string> texts_of(const Topic& topic) {
  std::vector<std::string> out;
  for (const Section& section : topic.sections()) {
    out.push_back(section.text);
    for (const Row& row : section.rows) {
      out.push_back(row.left);
      out.push_back(row.right);
    }
  }
  return out;
}

// The commands of a topic that are meant to be typed.
std::vector<std::string> commands_of(const Topic& topic) {
  std::vector<std::string> out;
  for (const Section& section : topic.sections()) {
    out.insert(out.end(), section.commands.begin(), section.commands.end());
    for (const Row& row : section.rows) {
      if (row.left.starts_with("drover ")) out.push_back(row.left);
    }
  }
  return out;
}

// Expects that the parser accepts every drover command in a line of shell.
void expect_parses(std::string_view line, std::string_view where) {
  const auto calls = calls_in(line);
  EXPECT_FALSE(calls.empty()) << where << ": " << line;
  for (const Words& words : calls) {
    const auto parsed = parse(every_command(), words);
    EXPECT_TRUE(parsed) << where << ": " << line << ": " << parsed.error().message;
  }
}

// The same for a command in a sentence, which may lack its arguments: `drover run -d`.
void expect_named(std::string_view line, std::string_view where) {
  for (Words words : calls_in(line)) {
    bool parses = false;
    for (int more = 0; more < 3 && !parses; ++more) {
      parses = parse(every_command(), words).has_value();
      words.emplace_back("1");
    }
    EXPECT_TRUE(parses) << where << ": " << line;
  }
}

// Summaries are one line with a verb, descriptions are whole sentences, and every command has
// examples.
TEST(Help, CommandsFollowTheRules) {
  for (const Command* command : every_command()) {
    expect_none(testing::summary_violations(command->summary), command->name);
    expect_none(testing::sentence_violations(command->help), command->name);
    if (!command->noun_summary.empty()) {
      expect_none(testing::summary_violations(command->noun_summary), command->name);
    }
    expect_none(testing::violations(command->words), command->name);
    if (command->hidden) continue;
    EXPECT_GE(examples_of(*command), command->group == Group::everyday ? 2U : 1U) << command->name;
    for (const Example& example : command->examples) {
      if (example.line.empty()) continue;
      expect_none(testing::sentence_violations(example.why), command->name);
      expect_none(testing::violations(example.line), command->name);
    }
  }
}

// Every option has a text, and a command with many options has them in groups.
TEST(Help, OptionsFollowTheRules) {
  const auto check = [](const Option& option, std::string_view where) {
    const std::string name = std::string(where) + " --" + std::string(option.name);
    expect_none(testing::label_violations(option.help), name);
    expect_none(testing::violations(option.value), name);
    EXPECT_EQ(option.takes == Takes::nothing, option.value.empty()) << name;
  };
  for (const Option& option : global_options()) check(option, "drover");
  for (const Option& option : own_options(nullptr)) check(option, "drover");
  for (const Command* command : every_command()) {
    for (const Option& option : command->options) check(option, command->name);
    const auto groups = option_groups(*command);
    for (const std::string_view group : groups) {
      if (!group.empty()) expect_none(testing::label_violations(group), command->name);
    }
    const bool grouped = std::ranges::find(groups, "") == groups.end();
    EXPECT_TRUE(grouped || groups.size() == 1) << command->name << ": some options have no group";
    EXPECT_TRUE(grouped || command->options.size() <= 9) << command->name;
  }
}

// Examples, and commands that texts name in backquotes, are valid as they are printed.
TEST(Help, ExamplesParse) {
  for (const Command* command : shown()) {
    for (const Example& example : command->examples) {
      if (!example.line.empty()) expect_parses(example.line, command->name);
    }
    for (const std::string& line : quoted_calls(command->help)) {
      expect_named(line, command->name);
    }
  }
  for (const Example& next : kNextCommands) expect_parses(next.line, "drover");
  for (const Topic& topic : topics()) {
    for (const std::string& text : texts_of(topic)) {
      for (const std::string& line : quoted_calls(text)) expect_named(line, topic.name);
    }
    for (const std::string& line : commands_of(topic)) expect_parses(line, topic.name);
  }
}

// The examples of a command use that command.
TEST(Help, ExamplesUseTheirCommand) {
  for (const Command* command : shown()) {
    for (const Example& example : command->examples) {
      if (example.line.empty()) continue;
      const std::string call = "drover " + std::string(command->name);
      EXPECT_NE(example.line.find(call), std::string_view::npos) << example.line;
    }
  }
}

// The topics have different names, and summaries and sentences that follow the writing rules.
TEST(Help, TopicsFollowTheRules) {
  std::set<std::string_view> names;
  for (const Topic& topic : topics()) {
    EXPECT_TRUE(names.insert(topic.name).second) << topic.name;
    expect_none(testing::summary_violations(topic.summary), topic.name);
    for (const std::string& text : texts_of(topic)) {
      expect_none(testing::violations(text), topic.name);
      EXPECT_FALSE(text.empty()) << topic.name;
    }
    for (const Section& section : topic.sections()) {
      const bool introduces = section.text.ends_with(':') || !section.rows.empty();
      EXPECT_TRUE(introduces || section.text.ends_with('.')) << topic.name << ": " << section.text;
    }
  }
  for (const char* name : {"handles", "exit-codes", "environment", "retries", "limits"}) {
    EXPECT_TRUE(names.contains(name)) << name;
  }
}

// Suggestions follow the writing rules, each word has only one, and the commands in them exist.
TEST(Help, SuggestionsFollowTheRules) {
  std::set<std::string_view> words;
  for (const Suggestion& suggestion : all_suggestions()) {
    EXPECT_TRUE(words.insert(suggestion.word).second) << suggestion.word;
    expect_none(testing::violations(suggestion.text), suggestion.word);
    EXPECT_FALSE(suggestion.text.ends_with('.')) << suggestion.text;
    const auto known = find_command(every_command(), std::array{std::string(suggestion.word)});
    EXPECT_EQ(known.first, nullptr) << suggestion.word << " is a command";
    for (const std::string& line : quoted_calls(suggestion.text)) {
      expect_named(line, suggestion.word);
    }
  }
}

// No line of any page is wider than the terminal.
TEST(Help, PagesFitEveryWidth) {
  for (const size_t width : std::array<size_t, 6>{40, 60, 80, 100, 120, 200}) {
    const auto expect_fits = [&](const std::string& page, std::string_view name) {
      expect_none(testing::width_violations(page, width), name);
      EXPECT_TRUE(page.ends_with('\n')) << name;
    };
    for (const Command* command : every_command()) {
      expect_fits(help_page(*command, every_command(), width), command->name);
      const std::string noun(command->name.substr(0, command->name.find(' ')));
      expect_fits(noun_page(noun, every_command(), width), noun);
    }
    expect_fits(help_page(every_command(), width), "drover");
    for (const Topic& topic : topics()) expect_fits(topic_page(topic, width), topic.name);
  }
}

// A wide terminal is used, by sentences and by tables.
TEST(Help, PagesUseTheWidth) {
  const auto lines = [](std::string_view text) { return std::ranges::count(text, '\n'); };
  const auto sentences = [&](size_t width) {
    const std::string page = help_page(kRun, every_command(), width);
    return lines(std::string_view(page).substr(0, page.find("Examples:")));
  };
  const auto whole = [&](size_t width) { return lines(help_page(kRun, every_command(), width)); };
  EXPECT_LT(sentences(80), sentences(60));
  EXPECT_LT(sentences(100), sentences(80));
  EXPECT_LT(whole(80) - sentences(80), whole(60) - sentences(60));
  EXPECT_LT(whole(100) - sentences(100), whole(80) - sentences(80));
  for (const Topic& topic : topics()) {
    EXPECT_LT(lines(topic_page(topic, 80)), lines(topic_page(topic, 60))) << topic.name;
  }
}

// The list of all commands is one screen; it names every command and every topic.
TEST(Help, CommandListFitsOneScreen) {
  const std::string page = help_page(every_command(), 80);
  EXPECT_LE(std::ranges::count(page, '\n'), 49);
  expect_none(testing::violations(page), "drover --help");
  std::set<std::string_view> nouns;
  for (const Command* command : shown()) {
    const size_t blank = command->name.find(' ');
    const std::string first(command->name.substr(0, blank));
    nouns.insert(command->name.substr(0, blank));
    const size_t line = page.find("\n  " + first + " ");
    ASSERT_NE(line, std::string::npos) << command->name;
    if (blank == std::string_view::npos) continue;
    const std::string rest = page.substr(line, page.find('\n', line + 1) - line);
    EXPECT_NE(rest.find(" " + std::string(command->name.substr(blank + 1))), std::string::npos)
        << command->name << " is not in" << rest;
    EXPECT_NE(noun_page(first, every_command(), 80).find("\n  " + std::string(command->name)),
              std::string::npos);
  }
  for (const Group group : groups()) {
    EXPECT_NE(page.find("\n" + std::string(title_of(group)) + ":\n"), std::string::npos);
  }
  const size_t lines = static_cast<size_t>(std::ranges::count(page, '\n'));
  EXPECT_EQ(lines, 5 + 2 * groups().size() + nouns.size()) << "a command takes two lines";
  for (const Topic& topic : topics()) EXPECT_NE(page.find(topic.name), std::string::npos);
}

// The manual also has the examples, the groups of options and the topics.
TEST(Help, ManualHasExamplesGroupsAndTopics) {
  const std::string page = manual_page(kRun);
  EXPECT_NE(page.find(".SH EXAMPLES\n.TP\n\\fBdrover run \\-\\- make test\\fR\n"),
            std::string::npos);
  EXPECT_NE(page.find(".SS Where it runs\n"), std::string::npos);
  const std::string all = manual_page(every_command());
  EXPECT_NE(all.find(".SS Everyday\n"), std::string::npos);
  EXPECT_NE(all.find(".SH HANDLES\n.PP\nEvery run has a handle."), std::string::npos);
  EXPECT_NE(all.find("\n.TP\n@last\nthe newest run\n"), std::string::npos);
  EXPECT_NE(all.find("\n.PP\n.nf\n  id=$(drover run \\-\\-detach"), std::string::npos);
  EXPECT_NE(page.find(".SH EXIT STATUS\n.PP\n"), std::string::npos);
}

}  // namespace
}  // namespace drover::cli
