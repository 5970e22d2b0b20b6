// drover project: what Drover knows of projects, and what it writes for them.
#include <unistd.h>

#include <cerrno>
#include <string>

#include "cli/commands/commands.h"
#include "cli/context.h"
#include "cli/launch_daemon.h"
#include "cli/project_root.h"

namespace drover::cli {
namespace {

// droverd writes it by itself, and prints what it wrote.
Result<int> manifest(Context& context, const Arguments& arguments) {
  const auto root = project_root(arguments.words.empty() ? "" : arguments.words[0]);
  if (!root) return std::unexpected(root.error());
  const std::string program = beside("droverd");
  ::execl(program.c_str(), "droverd", "--manifest", root->c_str(),
          context.json ? "--json" : static_cast<const char*>(nullptr),
          static_cast<const char*>(nullptr));
  return fail_errno("cannot start " + program, errno);
}

}  // namespace

const Command kProjectManifest{
    .name = "project manifest",
    .words = "[DIR]",
    .help =
        "Write build/manifest.json of the project here, or in DIR, from what is in build/.\n"
        "`drover play` does it as its last preparation.",
    .options = {},
    .words_max = 1,
    .daemon = Daemon::never_start,
    .run = manifest,
};

}  // namespace drover::cli
