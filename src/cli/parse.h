// Parsing turns what was typed into a command and its arguments, by the commands' own
// descriptions. Only the chosen command is given to the parsing library: building it for all of
// them would take longer than most commands do.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "cli/command.h"
#include "cli/terminal/screen.h"

namespace drover::cli {

struct Topic;

struct Parsed {
  // Null: `drover` alone, or its help, or the help of a noun or a topic.
  const Command* command = nullptr;
  std::string noun;              // "lane": the commands that begin with it.
  const Topic* topic = nullptr;  // `drover help TOPIC`.
  Arguments arguments;
  bool help = false;
  bool json = false;
  bool no_start = false;
  ColorMode color = ColorMode::automatic;
};

// Options that every command has.
std::span<const Option> global_options();
// The other options of the command; null: those of `drover` alone.
std::span<const Option> own_options(const Command* command);

// The option that `token` names (--lane=x, -l), of the command or of all; null: none.
const Option* find_option(const Command* command, std::string_view token);

// The command that the words begin with, and how many of them name it. A name of two words wins.
std::pair<const Command*, size_t> find_command(std::span<const Command* const> commands,
                                               std::span<const std::string> words);

// Anything wrong is `invalid`, with a message that names the command's help.
Result<Parsed> parse(std::span<const Command* const> commands,
                     const std::vector<std::string>& typed);

}  // namespace drover::cli
