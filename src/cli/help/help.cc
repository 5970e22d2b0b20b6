#include "cli/help/help.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>

#include "cli/help/layout.h"
#include "cli/help/topics.h"
#include "cli/parse.h"

namespace drover::cli {
namespace {

constexpr size_t kWhyColumn = 6;       // The explanation below an example.
constexpr size_t kCommandColumn = 19;  // The summaries in the list of all commands.

constexpr auto kGroups = std::to_array<std::pair<Group, std::string_view>>({
    {Group::everyday, "Everyday"},
    {Group::queue, "Queue"},
    {Group::projects, "Projects"},
    {Group::automation, "Automation"},
    {Group::daemon, "Daemon"},
    {Group::access, "Access"},
});

std::string option_line(const Option& option, size_t width) {
  std::string left = option.letter == 0 ? "      " : fmt::format("  -{}, ", option.letter);
  left += fmt::format("--{}", option.name);
  if (!option.value.empty()) left += fmt::format(" {}", option.value);
  return beside(left, option_column(width), option.help, width);
}

std::string example_lines(const Command& command, size_t width) {
  std::string out;
  for (const Example& example : command.examples) {
    if (example.line.empty()) continue;
    out += command_lines(example.line, width) + beside("", kWhyColumn, example.why, width);
  }
  return out.empty() ? "" : "\nExamples:\n" + out;
}

std::string usage(std::string_view line, size_t width) {
  constexpr std::string_view kUsage = "usage: ";
  return beside("", kUsage.size(), line, width).replace(0, kUsage.size(), kUsage);
}

bool belongs_to(const Command& command, std::string_view noun) {
  return !command.hidden && command.name.starts_with(std::string(noun) + " ");
}

std::string subcommand_lines(std::string_view noun, std::span<const Command* const> commands,
                             size_t width) {
  std::vector<Row> rows;
  for (const Command* command : commands) {
    if (!belongs_to(*command, noun)) continue;
    std::string left(command->name);
    if (!command->words.empty()) left += fmt::format(" {}", command->words);
    rows.push_back({std::move(left), std::string(command->summary)});
  }
  return list(rows, width, option_column(width));
}

std::string_view noun_of(const Command& command) {
  return command.name.substr(0, command.name.find(' '));
}

// Of a noun with more commands the line has the first ones and the number of the others.
constexpr size_t kListedMax = 8;
constexpr size_t kListedOfMany = 3;

// Two commands that share a line of the list, so that it fits one screen.
struct Shared {
  std::string_view first;
  std::string_view second;
  std::string_view summary;  // Empty: that of the first.
};
constexpr auto kShared = std::to_array<Shared>({
    {"send", "signal", "Send input or a signal to a run"},
    {"ask", "report", "Ask people a question or report to them, from inside a run"},
    {"inbox", "answer", ""},
    {"events", "export", "Show the events of all runs; export runs as JSON lines or CSV"},
    {"status", "version", "Show the daemon's state and paths, or the version"},
    {"stop", "serve", "Stop the daemon; run it in the foreground"},
});

// "Manage lanes: ls, set, pause", or the summary if the command has a line of its own.
std::string line_of(const Command& command, std::span<const Command* const> commands) {
  if (command.noun_summary.empty()) return std::string(command.summary);
  std::string list;
  const auto belongs = [&](const Command* other) { return belongs_to(*other, noun_of(command)); };
  const auto count = static_cast<size_t>(std::ranges::count_if(commands, belongs));
  size_t listed = 0;
  for (const Command* other : commands) {
    if (!belongs(other)) continue;
    if (count > kListedMax && listed == kListedOfMany) {
      list += fmt::format(" and {} more", count - listed);
      break;
    }
    list += list.empty() ? "" : ", ";
    list += other->name.substr(noun_of(command).size() + 1);
    ++listed;
  }
  const bool stands_alone = command.name == noun_of(command);
  return fmt::format("{}{}{}{}", command.noun_summary, stands_alone ? " (also: " : ": ", list,
                     stands_alone ? ")" : "");
}

// Whether the line of another command also lists this one.
bool is_folded(const Command& command, std::span<const Command* const> commands) {
  if (std::ranges::find(kShared, command.name, &Shared::second) != kShared.end()) return true;
  return command.noun_summary.empty() && std::ranges::any_of(commands, [&](const Command* other) {
           return !other->noun_summary.empty() && noun_of(*other) == noun_of(command);
         });
}

// "send, signal", "lane": a line of the list.
Row row_of(const Command& command, std::span<const Command* const> commands) {
  const bool folds = !command.noun_summary.empty();
  Row row{std::string(folds ? noun_of(command) : command.name), line_of(command, commands)};
  const auto shared = std::ranges::find(kShared, row.left, &Shared::first);
  if (shared == kShared.end()) return row;
  row.left += fmt::format(", {}", shared->second);
  if (!shared->summary.empty()) row.right = shared->summary;
  return row;
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

std::string help_page(const Command& command, std::span<const Command* const> commands,
                      size_t width) {
  std::string out = usage(
      fmt::format("drover {}{}{}{}", command.name, command.options.empty() ? "" : " [options]",
                  command.words.empty() ? "" : " ", command.words),
      width);
  out += "\n" + fill(command.help, width);
  if (!command.alias.empty()) out += fmt::format("\n`drover {}` is the same.\n", command.alias);
  out += example_lines(command, width);
  if (const std::string more = subcommand_lines(command.name, commands, width); !more.empty()) {
    out += "\nRelated commands:\n" + more;
  }
  for (const std::string_view group : option_groups(command)) {
    out += fmt::format("\n{}:\n", group.empty() ? "Options" : group);
    for (const Option& option : command.options) {
      if (option.group == group) out += option_line(option, width);
    }
  }
  if (!command.foreign_options.empty()) out += fmt::format("\n{}:\n", kAfterDashes);
  for (const Option& option : command.foreign_options) out += option_line(option, width);
  out += "\nOptions of every command:\n";
  for (const Option& option : global_options()) out += option_line(option, width);
  return out;
}

std::string noun_page(std::string_view noun, std::span<const Command* const> commands,
                      size_t width) {
  std::string out = usage(fmt::format("drover {} COMMAND", noun), width) + "\n";
  for (const Command* command : commands) {
    if (belongs_to(*command, noun) && !command->noun_summary.empty()) {
      out += fill(fmt::format("{}.\n\n", command->noun_summary), width);
    }
  }
  return out + "Commands:\n" + subcommand_lines(noun, commands, width) + "\n" +
         fill(fmt::format("`drover help {} COMMAND` explains one of them.", noun), width);
}

std::string help_page(std::span<const Command* const> commands, size_t width) {
  std::string out = fill("Drover runs commands and never loses track of them.", width) +
                    usage("drover COMMAND [options] [arguments]", width);
  for (const Group group : groups()) {
    out += fmt::format("\n{}:\n", title_of(group));
    std::vector<Row> rows;
    for (const Command* command : commands) {
      if (command->hidden || command->group != group || is_folded(*command, commands)) continue;
      rows.push_back(row_of(*command, commands));
    }
    out += list(rows, width, kCommandColumn);
  }
  std::string names;
  for (const Topic& topic : topics()) names += fmt::format(" {}", topic.name);
  return out + "\n" +
         fill(
             "`drover help COMMAND` explains a command, with examples and all its options.\n"
             "Topics:" +
                 names + " (`drover help TOPIC`)",
             width);
}

}  // namespace drover::cli
