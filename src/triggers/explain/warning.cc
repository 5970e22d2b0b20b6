#include "triggers/explain/warning.h"

#include "triggers/hooks/secret.h"
#include "triggers/poll/poll_state.h"

namespace drover::triggers {
namespace {

std::string of_secret(const WebhookSource& hook) {
  const auto place = SecretSource::parse(hook.secret, "secret");
  if (!place) return place.error().message;
  const auto secrets = place->read();
  return secrets ? "" : secrets.error().message;
}

Result<std::string> of_polls(store::Reads& store, const std::string& name) {
  const auto stored = state_of(store, name);
  if (!stored) return std::unexpected(stored.error());
  if (stored->empty()) return std::string();
  const auto state = parse_poll_state(stored->front().state);
  if (!state || state->error.empty()) return std::string();
  return (state->errors > 1 ? "the last " + std::to_string(state->errors) + " polls failed: "
                            : std::string("the last poll failed: ")) +
         state->error;
}

}  // namespace

Result<std::string> warning_of(store::Reads& store, const StoredTrigger& trigger,
                               const TriggerSpec& spec,
                               const std::map<std::string, std::string>& of_files) {
  if (const auto* hook = std::get_if<WebhookSource>(&spec.source)) return of_secret(*hook);
  if (std::holds_alternative<PollSource>(spec.source)) return of_polls(store, trigger.name);
  const auto found = of_files.find(trigger.name);
  return found == of_files.end() ? std::string() : found->second;
}

}  // namespace drover::triggers
