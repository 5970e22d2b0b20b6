// drover trigger add: describe when a command starts.
#include <span>

#include "cli/commands/triggers/commands.h"
#include "cli/commands/triggers/print_stored.h"
#include "cli/commands/triggers/trigger_fields.h"
#include "cli/commands/triggers/trigger_options.h"
#include "cli/context.h"
#include "cli/fields.h"
#include "cli/service/service_unit.h"
#include "wire/triggers/operations.h"

namespace drover::cli {
namespace {

Result<int> add(Context& context, const Arguments& arguments) {
  if (auto ok = check_has_name(arguments, "add"); !ok) return std::unexpected(ok.error());
  auto body = trigger_fields(arguments);
  if (!body) return std::unexpected(body.error());
  if (!body->contains("source")) {
    return fail_invalid(
        "source",
        "say when it fires: --cron, --every, --at, --file, --webhook, --feed, --page or --on");
  }
  const std::span<const std::string> words(arguments.words);
  if (words.size() < 2) {
    return fail_invalid(
        "run", "name the command: drover trigger add " + arguments.words[0] + " … -- COMMAND…");
  }
  auto run = trigger_run(arguments, words.subspan(1));
  if (!run) return std::unexpected(run.error());
  (*body)["name"] = arguments.words[0];
  (*body)["run"] = std::move(*run);
  const auto added = context.client.ask(wire::triggers::add, {.body = json_text(*body)});
  if (added && !context.json && !starts_with_machine(context.home)) {
    context.screen.notice(
        "triggers fire only while the daemon runs, and no service starts the daemon with the "
        "machine; "
        "`drover service install` installs one");
  }
  if (!added) return std::unexpected(added.error());
  return print_stored(context, *added);
}

}  // namespace

const Command kTriggerAdd{
    .name = "trigger add",
    .words = "NAME [--] COMMAND…",
    .group = Group::automation,
    .summary = "Start a command at certain times or on events",
    .help =
        "Add a trigger, which starts a command at certain times or on events.\n\n"
        "The command runs in the current directory, with the daemon's environment and the "
        "variables of --env. DROVER_TRIGGER tells it, as JSON, why it was started. Every due time "
        "and every event is recorded: `drover trigger history NAME` shows what became of it.\n\n"
        "A trigger fires only while the daemon runs. `drover service install` starts the daemon "
        "when the machine starts.",
    .noun_summary = "Start commands by time or event",
    .examples =
        {{{"drover trigger add nightly --cron '0 3 * * *' --tz Europe/Berlin -- ./backup.sh",
           "Start a backup every night at three."},
          {"drover trigger add tidy --every 10m --overlap queue -- make tidy",
           "Tidy up every ten minutes, one run after another."},
          {"drover trigger add alert --on run.failed -- ./alert.sh",
           "Start a script when a run fails."}}},
    .options = kTriggerOptions,
    .words_min = 1,
    .words_max = kAnyNumber,
    .run = add,
};

}  // namespace drover::cli
