// drover why TRIGGER: what became of a trigger's due time or event. The command itself is in
// cli/commands/why.cc.
#include "cli/commands/triggers/commands.h"
#include "cli/commands/triggers/why_page.h"
#include "cli/context.h"
#include "wire/triggers/operations.h"

namespace drover::cli {
namespace {

Result<boost::json::object> ask(Context& context, const std::string& name,
                                std::optional<WallMs> at) {
  Call call{.segment = name};
  if (at) call.query = {{"at", rfc3339(*at)}};
  return context.client.ask(wire::triggers::why, call);
}

constexpr auto kExplainers =
    std::to_array<Explainer>({{.ask = ask, .page = trigger_why_page, .offer = offer_triggers}});

}  // namespace

std::span<const Explainer> trigger_explainers() {
  return kExplainers;
}

}  // namespace drover::cli
