#include <fmt/core.h>

#include <algorithm>

#include "cli/parse.h"
#include "cli/views/table.h"

namespace drover::cli {
namespace {

constexpr size_t kLeft = 26;
constexpr size_t kWide = 80;

// Text that goes on below itself where it is too long for a line.
std::string beside(size_t indent, std::string_view text) {
  std::string out;
  for (const std::string& line : wrap(text, kWide - indent)) {
    if (!out.empty()) out.append(indent, ' ');
    out.append(line).append("\n");
  }
  return out;
}

std::string option_line(const Option& option) {
  std::string left = option.letter == 0 ? "    " : fmt::format("-{}, ", option.letter);
  left += fmt::format("--{}", option.name);
  if (!option.value.empty()) left += fmt::format(" {}", option.value);
  if (left.size() >= kLeft) left += "  ";
  return fmt::format("  {:<{}}", left, kLeft) + beside(kLeft + 2, option.help);
}

constexpr std::string_view kExitCodes =
    "Exit codes: the command's own; 128+N ended by signal N; 124 timed out;\n"
    "130 canceled; 126, 127 not executable, not found; 125 it could not be run or\n"
    "nobody knows; 123 of --each: some failed; 2 usage; 5 not found; 6 conflict;\n"
    "7 no daemon.\n";

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
    const std::string_view first = command->help.substr(0, command->help.find('\n'));
    std::string_view brief = first.substr(0, first.find(". "));
    if (brief.ends_with('.')) brief.remove_suffix(1);
    out += fmt::format("  {:<17}", command->name) + beside(19, brief);
  }
  out +=
      "\nA run is named by its id, a unique beginning of it, its --name if no other has\n"
      "it, @last, or @failed.\n\n";
  for (const Option& option : global_options()) out += option_line(option);
  return out.append("\n").append(kExitCodes);
}

}  // namespace drover::cli
