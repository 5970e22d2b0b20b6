// The manual: a page for each command and one for all of them, in man(1) macros. Generated from the
// same descriptions as `--help`. Pure.
#pragma once

#include <span>
#include <string>

#include "cli/command.h"

namespace drover::cli {

// The name of a command's page: "drover-lane-set".
std::string manual_name(const Command& command);
std::string manual_page(const Command& command);
std::string manual_page(std::span<const Command* const> commands);

}  // namespace drover::cli
