// drover version.
#include "cli/commands/commands.h"
#include "cli/context.h"

namespace drover::cli {
namespace {

Result<int> version(Context& context, const Arguments&) {
  const std::string number = DROVER_VERSION;
  const std::string text = context.json ? R"({"version":")" + number + R"("})" : "drover " + number;
  if (auto ok = context.screen.print(text + "\n"); !ok) return std::unexpected(ok.error());
  return 0;
}

}  // namespace

const Command kVersion{
    .name = "version",
    .words = {},
    .group = Group::daemon,
    .summary = "Print the version",
    .help = "Print the version of drover.",
    .examples = {{{"drover version", "Print the version."},
                  {"drover version --json", "Print the version as JSON."}}},
    .options = {},
    .daemon = Daemon::never_start,
    .run = version,
};

}  // namespace drover::cli
