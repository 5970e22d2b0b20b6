#include "cli/commands/inbox/commands.h"

#include "cli/context.h"
#include "cli/fields.h"
#include "cli/help/completion.h"
#include "wire/inbox/operations.h"

namespace drover::cli {
namespace {

constexpr auto kCommands =
    std::to_array<const Command*>({&kAsk, &kReport, &kInbox, &kInboxShow, &kAnswer, &kInboxDismiss,
                                   &kMemoryLs, &kMemoryShow, &kMemoryWrite, &kMemoryLog});

}  // namespace

std::span<const Command* const> inbox_commands() {
  return kCommands;
}

void offer_entries(Context& context, const CompletionRequest& wanted, std::vector<Candidate>& out) {
  const Result<boost::json::object> answer = context.client.ask(wire::inbox::list, {});
  if (!answer) return;
  for (const boost::json::value& entry : array_in(*answer, "entries")) {
    const std::string id = entry.is_object() ? text_in(entry.get_object(), "id") : "";
    if (!id.empty() && id.starts_with(wanted.typed)) {
      out.push_back({wanted.before + id, text_in(entry.get_object(), "question")});
    }
  }
}

}  // namespace drover::cli
