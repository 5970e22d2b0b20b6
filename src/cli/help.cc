#include <fmt/core.h>

#include <algorithm>

#include "cli/parse.h"

namespace drover::cli {
namespace {

std::string option_line(const Option& option) {
  std::string left = option.letter == 0 ? "    " : fmt::format("-{}, ", option.letter);
  left += fmt::format("--{}", option.name);
  if (!option.value.empty()) left += fmt::format(" {}", option.value);
  return fmt::format("  {:<26}{}\n", left, option.help);
}

constexpr std::string_view kExitCodes =
    "Exit codes: the command's own; 128+N ended by signal N; 124 timed out; 130 cancelled;\n"
    "126, 127 not executable, not found; 125 it could not be run or nobody knows; 2 usage;\n"
    "5 not found; 6 conflict; 7 no daemon.\n";

}  // namespace

std::string_view exit_codes() {
  return kExitCodes;
}

std::string help_page(const Command& command) {
  std::string out = fmt::format("usage: drover {} [options]{}{}\n\n{}\n\n", command.name,
                                command.words.empty() ? "" : " ", command.words, command.help);
  for (const Option& option : command.options) out += option_line(option);
  if (!command.options.empty()) out += '\n';
  for (const Option& option : global_options()) out += option_line(option);
  if (command.name == "run" || command.name == "wait") out.append("\n").append(kExitCodes);
  return out;
}

std::string help_page(std::span<const Command* const> commands) {
  std::string out =
      "drover runs commands and never loses track of them.\n\n"
      "usage: drover COMMAND [options] …\n\n";
  for (const Command* command : commands) {
    if (command->hidden) continue;
    // The first sentence is enough for a list.
    const std::string_view brief = command->help.substr(0, command->help.find_first_of(".\n"));
    out += fmt::format("  {:<16}{}\n", command->name, brief);
  }
  out += "\nA run is named by its id, a unique beginning of it, @last, or @failed.\n\n";
  for (const Option& option : global_options()) out += option_line(option);
  return out.append("\n").append(kExitCodes);
}

}  // namespace drover::cli
