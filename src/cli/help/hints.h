// Hints are what is said to somebody who typed what there is not: the nearest that there is, or
// what another program's word is called here. Pure.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cli/command.h"

namespace drover::cli {

// The one of `known` that is only a slip of the finger away; empty: none is.
std::string nearest(std::string_view typed, std::span<const std::string> known);

// "did you mean `drover logs`?", or empty.
std::string hint_for_command(std::span<const Command* const> commands, std::string_view typed);
// Of an option that `command` does not have: "did you mean --follow?", or empty.
std::string hint_for_option(const Command* command, std::string_view typed);
// Of a command with words that it does not take: what does, or empty.
std::string hint_for_words(const Command& command);

}  // namespace drover::cli
