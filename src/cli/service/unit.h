// The daemon as a user service: a unit for systemd, or a start script for machines without systemd.
// Pure: paths in, text out.
//
// Delegate=yes lets the daemon create cgroups for its runs. DelegateSubgroup=daemon moves the
// daemon out of the delegated cgroup itself, which must contain no process. With KillMode=process,
// stopping the service stops only the daemon; runs continue, as with `drover stop`.
#pragma once

#include <array>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace drover::cli {

inline constexpr std::string_view kUnitName = "drover.service";

// The variables that determine the daemon's directories. The service must have the same values as
// the shell that installs it.
inline constexpr std::array kHomeVariables{"DROVER_HOME", "XDG_CONFIG_HOME", "XDG_STATE_HOME",
                                           "XDG_RUNTIME_DIR"};
using Variables = std::vector<std::pair<std::string, std::string>>;

// `variables` are the kHomeVariables that are set.
std::string unit_text(std::string_view daemon, const Variables& variables);
// The variables that a unit written by unit_text sets.
Variables unit_variables(std::string_view unit);
std::string script_text(std::string_view program, const Variables& variables);

// Quotes a word for a unit file (systemd.syntax): C escapes, % doubled. For the value of
// Environment= and the program of ExecStart=, where systemd does not expand variables.
std::string unit_word(std::string_view text);
// Quotes a word for a shell.
std::string shell_word(std::string_view text);
// The shell command that makes cron start the script at `path` at boot.
std::string crontab_command(std::string_view path);

}  // namespace drover::cli
