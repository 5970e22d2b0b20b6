#include "cli/help/suggestions.h"

#include <algorithm>

#include "cli/help/foreign_words.h"
#include "cli/help/topics.h"
#include "cli/parse.h"

namespace drover::cli {
namespace {

std::string find_in(std::span<const Suggestion> table, std::string_view word) {
  const auto found = std::ranges::find(table, word, &Suggestion::word);
  return found == table.end() ? "" : std::string(found->text);
}

std::vector<std::string> names_of(std::span<const Command* const> commands) {
  std::vector<std::string> names;
  for (const Command* command : commands) {
    if (command->hidden) continue;
    names.emplace_back(command->name.substr(0, command->name.find(' ')));
    if (!command->alias.empty()) names.emplace_back(command->alias);
  }
  return names;
}

std::string did_you_mean(const std::string& what) {
  return what.empty() ? "" : "did you mean " + what + "?";
}

}  // namespace

std::vector<Suggestion> all_suggestions() {
  std::vector<Suggestion> out(kForeignCommands.begin(), kForeignCommands.end());
  out.insert(out.end(), kForeignSubcommands.begin(), kForeignSubcommands.end());
  out.insert(out.end(), kForeignOptions.begin(), kForeignOptions.end());
  out.insert(out.end(), kForeignRunOptions.begin(), kForeignRunOptions.end());
  return out;
}

std::string suggest_command(std::span<const Command* const> commands, std::string_view typed) {
  if (std::string text = find_in(kForeignCommands, typed); !text.empty()) return text;
  const std::string best = nearest(typed, names_of(commands));
  return did_you_mean(best.empty() ? "" : "`drover " + best + "`");
}

std::string suggest_subcommand(std::span<const Command* const> commands, std::string_view noun,
                               std::string_view typed) {
  const std::string both = std::string(noun) + " " + std::string(typed);
  if (std::string text = find_in(kForeignSubcommands, both); !text.empty()) return text;
  std::vector<std::string> names;
  for (const Command* command : commands) {
    if (command->hidden || !command->name.starts_with(std::string(noun) + " ")) continue;
    names.emplace_back(command->name.substr(noun.size() + 1));
  }
  const std::string best = nearest(typed, names);
  if (!best.empty()) return did_you_mean("`drover " + std::string(noun) + " " + best + "`");
  return "`drover help " + std::string(noun) + "` lists the commands";
}

std::string suggest_topic(std::span<const Command* const> commands, std::string_view typed) {
  std::vector<std::string> names = names_of(commands);
  for (const Topic& topic : topics()) names.emplace_back(topic.name);
  const std::string best = nearest(typed, names);
  if (!best.empty()) return did_you_mean("`drover help " + best + "`");
  std::string list;
  for (const Topic& topic : topics()) {
    list += (list.empty() ? "the topics are " : ", ") + std::string(topic.name);
  }
  return list;
}

std::string suggest_option(const Command* command, std::string_view typed) {
  const std::string name(typed.substr(0, typed.find('=')));
  const bool is_run = command != nullptr && command->name == "run";
  if (std::string text = is_run ? find_in(kForeignRunOptions, name) : ""; !text.empty())
    return text;
  if (std::string text = find_in(kForeignOptions, name); !text.empty()) return text;
  if (!name.starts_with("--")) return "";
  if (command != nullptr && std::ranges::find(command->foreign_options, name.substr(2),
                                              &Option::name) != command->foreign_options.end()) {
    return "type it after --: `drover " + std::string(command->name) + " -- " + name + " …`";
  }
  std::vector<std::string> names;
  for (const std::span<const Option> list : {own_options(command), global_options()}) {
    for (const Option& option : list) names.emplace_back(option.name);
  }
  const std::string best = nearest(std::string_view(name).substr(2), names);
  return did_you_mean(best.empty() ? "" : "--" + best);
}

std::string suggest_words(const Command& command) {
  if (command.name == "status") return "`drover show RUN` shows one run, `drover ps` lists all";
  if (command.name == "stop")
    return "`drover cancel RUN` cancels a run; `drover stop` stops the daemon";
  return "";
}

}  // namespace drover::cli
