// drover trigger edit: change when a command starts, or which one.
#include <algorithm>
#include <span>

#include "cli/commands/triggers/changes.h"
#include "cli/commands/triggers/commands.h"
#include "cli/commands/triggers/print_stored.h"
#include "cli/commands/triggers/trigger_fields.h"
#include "cli/commands/triggers/trigger_options.h"
#include "cli/context.h"
#include "cli/fields.h"
#include "wire/triggers/operations.h"

namespace drover::cli {
namespace {

// A policy of the trigger that the new source cannot have was not typed: say how to remove it.
Error explain_kept(Error error, const Arguments& arguments, const std::string& name) {
  constexpr std::string_view kRemove = "; remove it";
  const auto option = std::ranges::find_if(kTriggerOptions, [&](const Option& one) {
    return one.group == kWhether && one.field == error.param && !arguments.has(one.name);
  });
  if (option == kTriggerOptions.end() || !error.message.ends_with(kRemove)) return error;
  error.message =
      "--" + std::string(option->name) +
      error.message.substr(option->field.size(),
                           error.message.size() - option->field.size() - kRemove.size()) +
      ", and " + name + " has it; remove it with --" + std::string(option->name) + " ''";
  return error;
}

Result<int> edit(Context& context, const Arguments& arguments) {
  if (auto ok = check_has_name(arguments, "edit"); !ok) return std::unexpected(ok.error());
  const auto before = context.client.ask(wire::triggers::get, {.segment = arguments.words[0]});
  if (!before) return std::unexpected(before.error());
  auto body = trigger_fields(arguments, text_in(object_in(*before, "source"), "type"));
  if (!body) return std::unexpected(body.error());
  const std::span<const std::string> words(arguments.words);
  auto run = trigger_run(arguments, words.subspan(1));
  if (!run) return std::unexpected(run.error());
  // Only the parts that were given change.
  if (words.size() < 2) {
    run->erase("command");
    run->erase("shell");
  }
  if (!arguments.has("cwd")) run->erase("cwd");
  if (!run->empty()) (*body)["run"] = std::move(*run);
  if (body->empty()) {
    return fail_invalid("trigger", "nothing to change: give at least one option or a command");
  }
  const auto after = context.client.ask(wire::triggers::edit,
                                        {.segment = arguments.words[0], .body = json_text(*body)});
  if (!after) {
    return std::unexpected(explain_kept(after.error(), arguments, arguments.words[0]));
  }
  std::string changed = say_changes(*before, *after);
  if (arguments.has("env") || arguments.has("env-file")) {
    changed += (changed.empty() ? "" : ", ") + std::string("variables");
  }
  return print_stored(context, *after,
                      changed.empty() ? "nothing changed\n" : "changed: " + changed + "\n");
}

}  // namespace

const Command kTriggerEdit{
    .name = "trigger edit",
    .words = "TRIGGER [--] [COMMAND…]",
    .group = Group::automation,
    .summary = "Change a trigger",
    .help =
        "Change a trigger: each option or command that is given replaces the old one, and "
        "everything else stays unchanged, also its directory.\n\n"
        "An option that may be repeated replaces its whole list. An empty value, such as "
        "--filter '', removes what says whether the trigger fires. Runs that the trigger has "
        "started are not affected.",
    .examples = {{{"drover trigger edit nightly --cron '30 4 * * *'", "Move it to half past four."},
                  {"drover trigger edit nightly -- ./backup.sh --full", "Change its command."}}},
    .options = kTriggerEditOptions,
    .words_min = 1,
    .words_max = kAnyNumber,
    .run = edit,
    .offers = kOffersTriggers,
};

}  // namespace drover::cli
