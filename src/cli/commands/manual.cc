// drover __manual DIRECTORY: writes the manual pages; used by the build.
#include "cli/help/manual.h"
#include "base/fd.h"

#include "cli/commands/commands.h"
#include "cli/context.h"

namespace drover::cli {
namespace {

Result<int> manual(Context& context, const Arguments& arguments) {
  const std::string& directory = arguments.words.front();
  if (auto ok = replace_file(directory + "/drover.1", manual_page(context.commands)); !ok) {
    return std::unexpected(ok.error());
  }
  for (const Command* command : context.commands) {
    if (command->hidden) continue;
    const std::string path = directory + "/" + manual_name(*command) + ".1";
    if (auto ok = replace_file(path, manual_page(*command)); !ok) {
      return std::unexpected(ok.error());
    }
  }
  return 0;
}

}  // namespace

const Command kManual{
    .name = "__manual",
    .words = "DIR",
    .group = Group::automation,
    .summary = "Write the manual pages",
    .help = "Write the manual pages into a directory.",
    .options = {},
    .words_min = 1,
    .words_max = 1,
    .daemon = Daemon::never_start,
    .run = manual,
    .hidden = true,
};

}  // namespace drover::cli
