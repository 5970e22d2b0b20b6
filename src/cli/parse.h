// Parses argv into a command and its arguments, using the commands' descriptions. Only the chosen
// command is given to the parsing library: building a parser for all commands would take longer
// than most commands run.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "cli/command.h"
#include "cli/terminal/screen.h"

namespace drover::cli {

struct Topic;

struct Parsed {
  // Null for `drover` alone, its help, and the help of a noun or a topic.
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
// Returns the other options of the command. Null: those of `drover` alone.
std::span<const Option> own_options(const Command* command);

// The option that `token` names (--lane=x, -l), among those of the command and the global ones.
// Null: none.
const Option* find_option(const Command* command, std::string_view token);

// The command that `words` begin with, and how many words its name has. A name of two words wins.
std::pair<const Command*, size_t> find_command(std::span<const Command* const> commands,
                                               std::span<const std::string> words);

// Every error is `invalid`, with a message that names the command's help.
Result<Parsed> parse(std::span<const Command* const> commands,
                     const std::vector<std::string>& typed);

}  // namespace drover::cli
