// drover retry: runs the command of a finished run again.
#include <array>

#include "base/id.h"
#include "cli/commands/commands.h"
#include "cli/context.h"
#include "cli/environment.h"
#include "cli/fields.h"
#include "cli/which_run.h"
#include "wire/operations/runs.h"

namespace drover::cli {
namespace {

using boost::json::object;

constexpr auto kOptions = std::to_array<Option>({
    {"env", 'e', Takes::many, "K=V", "Set a variable; may be repeated"},
    {"env-file", 0, Takes::many, "FILE", "Set the variables in FILE, as --env; may be repeated"},
});

Result<int> retry(Context& context, const Arguments& arguments) {
  object env = own_environment(context.screen);
  if (auto ok = add_env_files(env, arguments.all("env-file")); !ok) {
    return std::unexpected(ok.error());
  }
  if (auto ok = add_pairs(env, arguments.all("env"), "env"); !ok) {
    return std::unexpected(ok.error());
  }
  const object body{{"env", std::move(env)}, {"inherit_env", false}};
  const Result<std::string> run = whole_id(context, arguments.words[0]);
  if (!run) return std::unexpected(run.error());
  const Call call{.segment = *run, .body = json_text(body), .key = "cli-" + random_hex(32)};
  const Result<object> made = context.client.ask(wire::runs::retry, call);
  if (!made) return std::unexpected(made.error());
  if (!context.json) {
    context.screen.notice("retrying " + *run + " with the environment of this shell: the one of " +
                          *run + " was deleted when it finished");
  }
  const std::string line = context.json ? json_text(*made) : text_in(*made, "run_id");
  if (auto done = context.screen.print(line + "\n"); !done) return std::unexpected(done.error());
  return 0;
}

}  // namespace

const Command kRetry{
    .name = "retry",
    .words = "RUN",
    .group = Group::everyday,
    .summary = "Run the command of a finished run again",
    .help =
        "Run the command of a finished run once more and print the id of the new run.\n\n"
        "The new run has the same command and directory. It gets the environment of this shell, "
        "because Drover deletes the environment of a run when the run finishes.",
    .examples = {{{"drover retry @failed", "Run the newest failed command again."},
                  {"drover retry -e DEBUG=1 nightly", "Run it again with one more variable."}}},
    .options = kOptions,
    .words_min = 1,
    .words_max = 1,
    .run = retry,
};

}  // namespace drover::cli
