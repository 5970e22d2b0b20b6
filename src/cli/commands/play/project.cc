// drover project: lists and registers projects, and writes their manifests.
#include <unistd.h>

#include <cerrno>
#include <string>

#include "cli/client/launch_daemon.h"
#include "cli/commands/play/commands.h"
#include "cli/commands/play/known_project.h"
#include "cli/commands/play/play_view.h"
#include "cli/commands/play/project_root.h"
#include "cli/context.h"
#include "cli/fields.h"
#include "cli/views/output.h"
#include "cli/views/sheet.h"
#include "cli/views/table.h"
#include "wire/play/operations.h"

namespace drover::cli {
namespace {

using boost::json::object;

Result<int> print(Context& context, const std::string& text) {
  if (auto ok = context.screen.print(text); !ok) return std::unexpected(ok.error());
  return 0;
}

std::string root_of(const object& project) {
  const object& encoded = object_in(project, "root");
  return encoded.empty() ? text_in(project, "root") : bytes_of(encoded).value_or("");
}

Result<int> add(Context& context, const Arguments& arguments) {
  const auto project = add_project(context, arguments.words.empty() ? "" : arguments.words[0]);
  if (!project) return std::unexpected(project.error());
  return print(context, (context.json ? json_text(*project) : text_in(*project, "project")) + "\n");
}

Result<int> list(Context& context, const Arguments&) {
  const auto answer = context.client.ask(wire::play::list, {});
  if (!answer) return std::unexpected(answer.error());
  if (context.json) return print(context, json_text(*answer) + "\n");
  const boost::json::array& projects = array_in(*answer, "projects");
  if (projects.empty()) {
    context.screen.notice(
        "there are no projects; `drover init` creates one, `drover project add` registers it");
    return 0;
  }
  Table table({"PROJECT", "STATE", "DIRECTORY"}, 2);
  for (const boost::json::value& value : projects) {
    if (!value.is_object()) continue;
    const object& project = value.get_object();
    table.add({{text_in(project, "project"), Color::bold},
               {text_in(project, "state"), color_of_session(project)},
               {clean(root_of(project))}});
  }
  return print(context, table.text(context.screen));
}

Result<int> show(Context& context, const Arguments& arguments) {
  const auto id = known_project(context, arguments.words.empty() ? "" : arguments.words[0]);
  if (!id) return std::unexpected(id.error());
  const auto project = context.client.ask(wire::play::get, {.segment = *id});
  if (!project) return std::unexpected(project.error());
  if (context.json) return print(context, json_text(*project) + "\n");
  std::string steps;
  for (const boost::json::value& step : array_in(*project, "steps")) {
    if (step.is_string()) steps += (steps.empty() ? "" : ", ") + std::string(step.get_string());
  }
  Sheet sheet(context.screen, 0, 11);
  sheet.line("project", text_in(*project, "project"));
  sheet.line("name", text_in(*project, "name"));
  sheet.line("version", text_in(*project, "version"));
  sheet.line("directory", root_of(*project));
  sheet.line("steps", steps);
  sheet.line("state", text_in(*project, "state"));
  sheet.line("play", text_in(*project, "run_id"));
  sheet.line("trouble", text_in(*project, "trouble"));
  return print(context, sheet.take());
}

Result<int> remove(Context& context, const Arguments& arguments) {
  const auto answer = context.client.ask(wire::play::remove, {.segment = arguments.words[0]});
  if (!answer) return std::unexpected(answer.error());
  return print(context,
               (context.json ? json_text(*answer) : arguments.words[0] + " removed") + "\n");
}

// Runs droverd, which writes the manifest without a daemon and prints the result.
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

const Command kProjectAdd{
    .name = "project add",
    .words = "[DIR]",
    .group = Group::projects,
    .summary = "Register a project",
    .help =
        "Register the project in this directory or in DIR, and print its id.\n\n"
        "`drover play` registers a project too.",
    .noun_summary = "Manage projects",
    .examples = {{{"drover project add ~/src/game", "Register a project in another directory."},
                  {"drover project add", "Register the project of the current directory."}}},
    .options = {},
    .words_max = 1,
    .run = add,
};

const Command kProjectLs{
    .name = "project ls",
    .words = {},
    .group = Group::projects,
    .summary = "List registered projects",
    .help = "List the registered projects.",
    .examples = {{{"drover project ls", "List all projects."},
                  {"drover project ls --json", "Print the projects as JSON."}}},
    .options = {},
    .run = list,
};

const Command kProjectShow{
    .name = "project show",
    .words = "[PROJECT]",
    .group = Group::projects,
    .summary = "Show a project",
    .help = "Show the name, directory, steps and state of a project.",
    .examples = {{{"drover project show", "Show the project of the current directory."},
                  {"drover project show game", "Show the project game."}}},
    .options = {},
    .words_max = 1,
    .run = show,
    .offers = kOffersProjects,
};

const Command kProjectRm{
    .name = "project rm",
    .words = "PROJECT",
    .group = Group::projects,
    .summary = "Unregister a project",
    .help =
        "Unregister a project that is not being played.\n\n"
        "Its directory and its runs stay.",
    .examples = {{{"drover project rm game", "Unregister the project game."},
                  {"drover play stop game && drover project rm game", "Stop the project first."}}},
    .options = {},
    .words_min = 1,
    .words_max = 1,
    .run = remove,
    .offers = kOffersProjects,
};

const Command kProjectManifest{
    .name = "project manifest",
    .words = "[DIR]",
    .group = Group::projects,
    .summary = "Write a project's build/manifest.json",
    .help =
        "Write build/manifest.json of a project from the files in build/.\n\n"
        "`drover play` does this as the last step of the preparation.",
    .examples = {{{"drover project manifest",
                   "Write the manifest of the project in the current directory."},
                  {"drover project manifest ~/src/game",
                   "Write the manifest of another project."}}},
    .options = {},
    .words_max = 1,
    .daemon = Daemon::never_start,
    .run = manifest,
};

}  // namespace drover::cli
