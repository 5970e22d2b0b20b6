// The manual: a page for each command and one for all of them, in the macros that man(1) reads.
// Made from the same descriptions as `--help`. Pure.
#pragma once

#include <span>
#include <string>

#include "cli/command.h"

namespace drover::cli {

// "drover-lane-set": what the page of a command is called.
std::string manual_name(const Command& command);
std::string manual_page(const Command& command);
std::string manual_page(std::span<const Command* const> commands);

}  // namespace drover::cli
