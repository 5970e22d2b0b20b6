// Suggestions for mistyped commands and options: the nearest known name, or the Drover name of a
// word from another program. Pure.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/nearest.h"
#include "cli/command.h"

namespace drover::cli {

// A word of another program, and the text that suggests what to type instead.
struct Suggestion {
  std::string_view word;
  std::string_view text;
};

// All suggestions in tables, for tests.
std::vector<Suggestion> all_suggestions();

// "did you mean `drover logs`?", or empty.
std::string suggest_command(std::span<const Command* const> commands, std::string_view typed);
// For an unknown second word of a noun, such as `drover lane add`.
std::string suggest_subcommand(std::span<const Command* const> commands, std::string_view noun,
                               std::string_view typed);
// For `drover help` with an unknown word: commands and topics.
std::string suggest_topic(std::span<const Command* const> commands, std::string_view typed);
// For an unknown option of `command` (null: of `drover` alone): "did you mean --follow?".
std::string suggest_option(const Command* command, std::string_view typed);
// For a wrong number of arguments.
std::string suggest_words(const Command& command);

}  // namespace drover::cli
