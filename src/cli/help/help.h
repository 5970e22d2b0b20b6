// The pages of `--help`: of one command, of the commands of a noun, and of all commands. Generated
// from the commands' descriptions, at most `width` columns wide. Pure.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cli/command.h"

namespace drover::cli {

// "Everyday": the heading of a group in `drover --help`.
std::string_view title_of(Group group);
// All groups, in the order of the page.
std::span<const Group> groups();

// The heading of the options that are typed after "--" (Command::foreign_options).
inline constexpr std::string_view kAfterDashes = "Options after --";

// The headings of the command's options, in the order of their first option.
std::vector<std::string_view> option_groups(const Command& command);

// The page of a command, with a list of the commands that begin with its name ("play", "play
// stop").
std::string help_page(const Command& command, std::span<const Command* const> commands,
                      size_t width);
// The page of all commands that begin with the word `noun`.
std::string noun_page(std::string_view noun, std::span<const Command* const> commands,
                      size_t width);
// The page of all commands: one screen.
std::string help_page(std::span<const Command* const> commands, size_t width);

}  // namespace drover::cli
