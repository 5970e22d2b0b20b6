// The daemon as a service of the user's: a unit for systemd, or where there is none a script for
// whatever else starts things. Pure: paths in, text out.
//
// Delegate=yes: the daemon may make groups of its own for what it runs. KillMode=process: stopping
// the service stops the daemon and nothing else; runs go on, as with `drover stop`.
#pragma once

#include <string>
#include <string_view>

namespace drover::cli {

inline constexpr std::string_view kUnitName = "drover.service";

// `home` is $DROVER_HOME, or empty if it is not set.
std::string unit_text(std::string_view daemon, std::string_view home);
std::string script_text(std::string_view program, std::string_view home);

// A word as a unit's line has it: quoted, without specifiers and variables.
std::string unit_word(std::string_view text);
// A word as a shell has it.
std::string shell_word(std::string_view text);

}  // namespace drover::cli
