// The daemon as a service of the user's: a unit for systemd, or where there is none a script for
// whatever else starts things. Pure: paths in, text out.
//
// Delegate=yes: the daemon may make groups of its own for what it runs; DelegateSubgroup=daemon: it
// is not in the group that it shares out, where no process may be. KillMode=process: stopping
// the service stops the daemon and nothing else; runs go on, as with `drover stop`.
#pragma once

#include <array>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace drover::cli {

inline constexpr std::string_view kUnitName = "drover.service";

// What decides where the daemon's directories are: it must find the same ones as whoever installs
// it.
inline constexpr std::array kHomeVariables{"DROVER_HOME", "XDG_CONFIG_HOME", "XDG_STATE_HOME",
                                           "XDG_RUNTIME_DIR"};
using Variables = std::vector<std::pair<std::string, std::string>>;

// `variables` are those of the above that are set.
std::string unit_text(std::string_view daemon, const Variables& variables);
// Those that a unit as above sets.
Variables unit_variables(std::string_view unit);
std::string script_text(std::string_view program, const Variables& variables);

// A word as a unit's line has it (systemd.syntax): quoted, with C escapes, % doubled. Right for the
// value of Environment= and for the program of ExecStart=, where systemd expands no variables.
std::string unit_word(std::string_view text);
// A word as a shell has it.
std::string shell_word(std::string_view text);
// What a person types to have cron start the script at `path` with the machine.
std::string crontab_command(std::string_view path);

}  // namespace drover::cli
