#include "cli/commands/triggers/commands.h"

#include "cli/context.h"
#include "cli/fields.h"
#include "cli/help/completion.h"
#include "wire/triggers/operations.h"

namespace drover::cli {
namespace {

constexpr auto kCommands = std::to_array<const Command*>(
    {&kTriggerAdd, &kTriggerLs, &kTriggerShow, &kTriggerNext, &kTriggerHistory, &kTriggerPause,
     &kTriggerResume, &kTriggerTest, &kTriggerFire, &kTriggerEdit, &kTriggerRm, &kTriggerValidate,
     &kEmit});

}  // namespace

std::span<const Command* const> trigger_commands() {
  return kCommands;
}

void offer_triggers(Context& context, const CompletionRequest& wanted,
                    std::vector<Candidate>& out) {
  const Result<boost::json::object> answer = context.client.ask(wire::triggers::list, {});
  if (!answer) return;
  for (const boost::json::value& trigger : array_in(*answer, "triggers")) {
    const std::string name = trigger.is_object() ? text_in(trigger.get_object(), "name") : "";
    if (!name.empty() && name.starts_with(wanted.typed)) {
      out.push_back({wanted.before + name, text_in(trigger.get_object(), "when")});
    }
  }
}

}  // namespace drover::cli
