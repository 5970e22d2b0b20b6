// Checks the texts of the help against the writing rules, and their commands against the parser.
#include "cli/help/help.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <regex>
#include <set>
#include <sstream>

#include "cli/commands/overview.h"
#include "cli/documents_fixture.h"
#include "cli/every_command.h"
#include "cli/help/manual.h"
#include "cli/help/suggestions.h"
#include "cli/help/topics.h"
#include "cli/parse.h"
#include "config/daemon_options.h"
#include "testing/plain_words.h"
#include "wire/errors.h"

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

size_t commands_of(const std::string& noun) {
  return static_cast<size_t>(std::ranges::count_if(
      shown(), [&](const Command* command) { return command->name.starts_with(noun + " "); }));
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

// Summaries are one line with a verb, descriptions are whole sentences of which the first is a
// paragraph, and every command has two examples.
TEST(Help, CommandsFollowTheRules) {
  for (const Command* command : every_command()) {
    expect_none(testing::summary_violations(command->summary), command->name);
    expect_none(testing::sentence_violations(command->help), command->name);
    const std::string_view first = command->help.substr(0, command->help.find("\n\n"));
    EXPECT_EQ(first.find(". "), std::string_view::npos) << command->name << ": " << first;
    if (!command->noun_summary.empty()) {
      expect_none(testing::summary_violations(command->noun_summary), command->name);
    }
    expect_none(testing::violations(command->words), command->name);
    if (command->hidden) continue;
    EXPECT_GE(examples_of(*command), 2U) << command->name;
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
    for (const Option& option : command->foreign_options) check(option, command->name);
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

// The help of `serve` explains every option of the daemon, on the page and in the manual.
TEST(Help, ServeListsTheOptionsOfTheDaemon) {
  const auto serve = find_command(every_command(), std::array<std::string, 1>{"serve"}).first;
  ASSERT_NE(serve, nullptr);
  std::string page;  // With one blank between words: long texts are wrapped.
  std::istringstream words(help_page(*serve, every_command(), 200));
  for (std::string word; words >> word;) page += word + " ";
  const std::string manual = manual_page(*serve);
  EXPECT_GE(config::kDaemonOptions.size(), 15U);
  for (const config::DaemonOption& option : config::kDaemonOptions) {
    std::string line(option.name);
    if (!option.value.empty()) line += " " + std::string(option.value);
    EXPECT_NE(page.find(line + " " + std::string(option.help)), std::string::npos) << line;
    EXPECT_NE(manual.find("\\fB\\-\\-" + std::string(option.name.substr(2, 3))), std::string::npos)
        << line;
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

// The topic lists every exit code that wire/errors.h defines, and every one that an error maps to.
TEST(Help, TopicListsEveryExitCode) {
  std::set<std::string> listed;
  for (const Section& section : find_topic("exit-codes")->sections()) {
    for (const Row& row : section.rows) listed.insert(row.left);
  }
  std::ifstream in(DROVER_DOCS "/../src/wire/errors.h");
  const std::regex constant("inline constexpr int k\\w+ = (\\d+);");
  size_t defined = 0;
  std::smatch found;
  for (std::string line; std::getline(in, line);) {
    if (!std::regex_search(line, found, constant)) continue;
    ++defined;
    EXPECT_TRUE(listed.contains(found[1])) << line;
  }
  EXPECT_GE(defined, 11U);
  for (const ErrorCode code : {ErrorCode::invalid, ErrorCode::not_found, ErrorCode::conflict,
                               ErrorCode::exhausted, ErrorCode::unavailable, ErrorCode::corrupt}) {
    const int exit_code = wire::form(code).exit_code;
    EXPECT_TRUE(listed.contains(std::to_string(exit_code))) << exit_code;
  }
}

// The topic lists every variable that Drover sets for a run, in the places that compose the
// environment of one, and no other.
TEST(Help, TopicListsEveryVariableOfARun) {
  std::set<std::string> listed;
  for (const Section& section : find_topic("environment")->sections()) {
    if (!section.text.starts_with("Drover sets these variables")) continue;
    for (const Row& row : section.rows) listed.insert(row.left);
  }
  const std::regex variable("\"(DROVER_[A-Z_]+|TRACEPARENT)(=[^\"]*)?\"");
  std::set<std::string> set;
  for (const char* directory : {"dispatch", "run", "triggers", "play", "conduct", "inbox"}) {
    const std::filesystem::path path = std::filesystem::path(DROVER_DOCS "/../src") / directory;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(path)) {
      const std::string name = entry.path().filename();
      if (name.contains("_test.") || name.contains("_fixture.")) continue;
      std::ifstream in(entry.path());
      for (std::string line; std::getline(in, line);) {
        for (std::sregex_iterator at(line.begin(), line.end(), variable), end; at != end; ++at) {
          set.insert((*at)[1]);
        }
      }
    }
  }
  EXPECT_GE(set.size(), 9U);
  EXPECT_EQ(listed, set);
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
  EXPECT_LE(std::ranges::count(page, '\n'), 50);
  EXPECT_FALSE(page.contains("…")) << "a line is cut";
  expect_none(testing::violations(page), "drover --help");
  for (const Command* command : shown()) {
    const size_t blank = command->name.find(' ');
    const std::string first(command->name.substr(0, blank));
    std::smatch line;  // "  send, signal  …": two commands may share a line.
    ASSERT_TRUE(
        std::regex_search(page, line, std::regex("\n  (\\w+, )?" + first + "(, \\w+)?  .*")))
        << command->name;
    if (blank == std::string_view::npos) continue;
    std::smatch others;  // A noun with many commands has the first ones and counts the others.
    const std::string rest = line.str();
    if (std::regex_search(rest, others, std::regex(": (\\w+, )+\\w+ and (\\d+) more$"))) {
      EXPECT_GT(commands_of(first), 8U) << rest;
      EXPECT_EQ(commands_of(first) - std::stoul(others[2]), std::ranges::count(rest, ',') + 1)
          << rest;
    } else {
      EXPECT_TRUE(std::regex_search(
          rest, std::regex("[ ]" + std::string(command->name.substr(blank + 1)) + "\\b")))
          << command->name << " is not in" << rest;
    }
    EXPECT_NE(noun_page(first, every_command(), 80).find("\n  " + std::string(command->name)),
              std::string::npos);
  }
  for (const Group group : groups()) {
    EXPECT_NE(page.find("\n" + std::string(title_of(group)) + ":\n"), std::string::npos);
  }
  std::istringstream lines(page);
  for (std::string line; std::getline(lines, line);) {
    EXPECT_FALSE(line.starts_with("   ")) << "a command takes two lines: " << line;
  }
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
  EXPECT_NE(all.find(".SH HANDLES\n.PP\nEvery run has an id, its handle."), std::string::npos);
  EXPECT_NE(all.find("\n.TP\n@last\nthe newest run\n"), std::string::npos);
  EXPECT_NE(all.find("\n.PP\n.nf\n  id=$(drover run \\-\\-detach"), std::string::npos);
  for (const char* name : {"run", "wait", "attach", "play"}) {
    const auto known = find_command(every_command(), std::array{std::string(name)});
    ASSERT_NE(known.first, nullptr) << name;
    EXPECT_NE(manual_page(*known.first).find(".SH EXIT STATUS\n.PP\n"), std::string::npos) << name;
  }
}

}  // namespace
}  // namespace drover::cli
