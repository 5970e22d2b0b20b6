// drover serve: runs the daemon in the foreground.
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <string>
#include <vector>

#include "cli/client/launch_daemon.h"
#include "cli/commands/commands.h"
#include "config/daemon_options.h"

namespace drover::cli {
namespace {

// The options of droverd, which are typed after "--".
constexpr auto kDaemonOptions = [] {
  std::array<Option, config::kDaemonOptions.size()> all{};
  std::ranges::transform(
      config::kDaemonOptions, all.begin(), [](const config::DaemonOption& option) {
        return Option{.name = option.name.substr(2),
                      .takes = option.value.empty() ? Takes::nothing : Takes::text,
                      .value = option.value,
                      .help = option.help};
      });
  return all;
}();

Result<int> serve(Context&, const Arguments& arguments) {
  const std::string program = beside("droverd");
  std::vector<std::string> words{program};
  words.insert(words.end(), arguments.words.begin(), arguments.words.end());
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  ::execv(program.c_str(), argv.data());
  return fail_errno("cannot start " + program, errno);
}

}  // namespace

const Command kServe{
    .name = "serve",
    .words = "[-- OPTION…]",
    .group = Group::daemon,
    .summary = "Run the daemon in the foreground",
    .help =
        "Run the daemon in the foreground.\n\n"
        "Usually this is not needed: the first command starts a daemon in the background. Type the "
        "options of the daemon after --.",
    .examples = {{{"drover serve", "Run the daemon and print its log."},
                  {"drover serve -- --listen 127.0.0.1:7777", "Listen on a TCP port too."}}},
    .options = {},
    .words_min = 0,
    .words_max = kAnyNumber,
    .foreign_options = kDaemonOptions,
    .foreign_words = true,
    .daemon = Daemon::never_start,
    .run = serve,
};

}  // namespace drover::cli
