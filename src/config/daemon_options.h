// The command line options of droverd, with their texts: `droverd --help` and `drover help serve`
// print this list, and droverd refuses every option that is not in it (cmd/daemon_arguments.h). An
// option that overrides a setting takes its text from kSettings. Pure.
#pragma once

#include <algorithm>
#include <array>
#include <string_view>

#include "config/settings.h"

namespace drover::config {

struct DaemonOption {
  std::string_view name;   // "--listen".
  std::string_view value;  // The placeholder for its value; empty: it takes none.
  std::string_view help;
};

inline constexpr std::string_view kDaemonFlag = "droverd ";  // How Setting::flag names them.

// The options that override no setting.
inline constexpr auto kOtherDaemonOptions = std::to_array<DaemonOption>({
    {"--insecure-listen", "",
     "Let other machines connect without TLS; a firewall or a proxy must protect the address"},
    {"--retain-every", "DURATION", "Look for runs and events to remove this often (default 1m)"},
    {"--ready-fd", "N", "Write a line into this file descriptor: ready, or why not"},
    {"--verify", "", "Check every record, event and directory of the store; start no daemon"},
    {"--survivors", "", "Print the living processes of runs as JSON; start no daemon"},
    {"--json", "", "Print the report of --verify as JSON"},
    {"--help", "", "Show this list and exit"},
});

constexpr std::string_view placeholder(Kind kind) {
  if (kind == Kind::duration) return "DURATION";
  if (kind == Kind::number) return "N";
  return kind == Kind::address ? "ADDRESS" : "FILE";
}

constexpr bool has_daemon_option(const Setting& setting) {
  return setting.flag.starts_with(kDaemonFlag);
}

inline constexpr auto kDaemonOptions = [] {
  std::array<DaemonOption,
             static_cast<size_t>(std::ranges::count_if(kSettings, has_daemon_option)) +
                 kOtherDaemonOptions.size()>
      all{};
  auto to = all.begin();
  for (const Setting& setting : kSettings) {
    if (!has_daemon_option(setting)) continue;
    *to++ = {setting.flag.substr(kDaemonFlag.size()), placeholder(setting.kind), setting.help};
  }
  std::ranges::copy(kOtherDaemonOptions, to);
  return all;
}();

}  // namespace drover::config
