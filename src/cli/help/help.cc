#include "cli/help/help.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>

#include "cli/help/topics.h"
#include "cli/parse.h"
#include "cli/views/table.h"

namespace drover::cli {
namespace {

constexpr size_t kLeft = 26;
constexpr size_t kTableLeft = 14;  // In the list of all commands.

constexpr auto kGroups = std::to_array<std::pair<Group, std::string_view>>({
    {Group::everyday, "Everyday"},
    {Group::queue, "Queue"},
    {Group::projects, "Projects"},
    {Group::automation, "Automation"},
    {Group::daemon, "Daemon"},
    {Group::access, "Access"},
});

// `left`, then `text` in a column of its own. It starts on the next line if `left` is too long.
std::string in_columns(std::string_view left, size_t indent, std::string_view text) {
  std::string out(left);
  bool first = columns(left) + 2 <= indent;
  if (!first) out += '\n';
  for (const std::string& line : wrap(text, kHelpColumns - indent)) {
    out.append(first ? indent - columns(left) : indent, ' ').append(line).append("\n");
    first = false;
  }
  return out;
}

std::string option_line(const Option& option) {
  std::string left = option.letter == 0 ? "      " : fmt::format("  -{}, ", option.letter);
  left += fmt::format("--{}", option.name);
  if (!option.value.empty()) left += fmt::format(" {}", option.value);
  return in_columns(left, kLeft + 2, option.help);
}

std::string example_lines(const Command& command) {
  std::string out;
  for (const Example& example : command.examples) {
    if (example.line.empty()) continue;
    out += fmt::format("  {}\n", example.line) + in_columns("", 6, example.why);
  }
  return out.empty() ? "" : "\nExamples:\n" + out;
}

// Fills paragraphs; a line that begins with a blank stays unchanged.
std::string prose(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    const std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(text.size(), line.size() + 1));
    if (line.empty() || line.front() == ' ') {
      out.append(line).append("\n");
      continue;
    }
    for (const std::string& part : wrap(line, kHelpColumns)) out.append(part).append("\n");
  }
  return out;
}

bool belongs_to(const Command& command, std::string_view noun) {
  return !command.hidden && command.name.starts_with(std::string(noun) + " ");
}

std::string subcommand_lines(std::string_view noun, std::span<const Command* const> commands) {
  std::string out;
  for (const Command* command : commands) {
    if (!belongs_to(*command, noun)) continue;
    std::string left = fmt::format("  {}", command->name);
    if (!command->words.empty()) left += fmt::format(" {}", command->words);
    out += in_columns(left, kLeft + 2, command->summary);
  }
  return out;
}

std::string_view noun_of(const Command& command) {
  return command.name.substr(0, command.name.find(' '));
}

// "Manage lanes: ls, set, pause", or the summary if the command has a line of its own.
std::string line_of(const Command& command, std::span<const Command* const> commands) {
  if (command.noun_summary.empty()) return std::string(command.summary);
  std::string list;
  for (const Command* other : commands) {
    if (!belongs_to(*other, noun_of(command))) continue;
    list += list.empty() ? "" : ", ";
    list += other->name.substr(noun_of(command).size() + 1);
  }
  const bool stands_alone = command.name == noun_of(command);
  return fmt::format("{}{}{}{}", command.noun_summary, stands_alone ? " (also: " : ": ", list,
                     stands_alone ? ")" : "");
}

// Whether the line of another command also lists this one.
bool is_folded(const Command& command, std::span<const Command* const> commands) {
  return command.noun_summary.empty() && std::ranges::any_of(commands, [&](const Command* other) {
           return !other->noun_summary.empty() && noun_of(*other) == noun_of(command);
         });
}

}  // namespace

std::string_view title_of(Group group) {
  return std::ranges::find(kGroups, group, &std::pair<Group, std::string_view>::first)->second;
}

std::span<const Group> groups() {
  static const auto kAll = [] {
    std::array<Group, kGroups.size()> all{};
    std::ranges::transform(kGroups, all.begin(), [](const auto& pair) { return pair.first; });
    return all;
  }();
  return kAll;
}

std::vector<std::string_view> option_groups(const Command& command) {
  std::vector<std::string_view> out;
  for (const Option& option : command.options) {
    if (std::ranges::find(out, option.group) == out.end()) out.push_back(option.group);
  }
  return out;
}

std::string help_page(const Command& command, std::span<const Command* const> commands) {
  std::string out = fmt::format("usage: drover {}{}{}{}\n\n", command.name,
                                command.options.empty() ? "" : " [options]",
                                command.words.empty() ? "" : " ", command.words);
  out += prose(command.help);
  if (!command.alias.empty()) out += fmt::format("`drover {}` is the same.\n", command.alias);
  out += example_lines(command);
  if (const std::string more = subcommand_lines(command.name, commands); !more.empty()) {
    out += "\nRelated commands:\n" + more;
  }
  for (const std::string_view group : option_groups(command)) {
    out += fmt::format("\n{}:\n", group.empty() ? "Options" : group);
    for (const Option& option : command.options) {
      if (option.group == group) out += option_line(option);
    }
  }
  out += "\nOptions of every command:\n";
  for (const Option& option : global_options()) out += option_line(option);
  return out;
}

std::string noun_page(std::string_view noun, std::span<const Command* const> commands) {
  std::string out = fmt::format("usage: drover {} COMMAND\n\n", noun);
  for (const Command* command : commands) {
    if (belongs_to(*command, noun) && !command->noun_summary.empty()) {
      out += fmt::format("{}.\n\n", command->noun_summary);
    }
  }
  return out + "Commands:\n" + subcommand_lines(noun, commands) +
         fmt::format("\n`drover help {} COMMAND` explains one of them.\n", noun);
}

std::string help_page(std::span<const Command* const> commands) {
  std::string out =
      "Drover runs commands and never loses track of them.\n"
      "usage: drover COMMAND [options] [arguments]\n";
  for (const Group group : groups()) {
    out += fmt::format("\n{}:\n", title_of(group));
    for (const Command* command : commands) {
      if (command->hidden || command->group != group || is_folded(*command, commands)) continue;
      const bool folds = !command->noun_summary.empty();
      out += in_columns(fmt::format("  {}", folds ? noun_of(*command) : command->name), kTableLeft,
                        line_of(*command, commands));
    }
  }
  out += "\n`drover help COMMAND` explains a command, with examples and all its options.\nTopics:";
  for (const Topic& topic : topics()) out += fmt::format(" {}", topic.name);
  return out + " (`drover help TOPIC`)\n";
}

}  // namespace drover::cli
