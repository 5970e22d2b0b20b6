// Below `drover show`: the questions and reports of the run. Below `drover why`: its open
// questions, for whose answers it may wait.
#include <array>

#include "base/clock.h"
#include "cli/commands/inbox/commands.h"
#include "cli/commands/inbox/inbox_view.h"
#include "cli/context.h"
#include "cli/fields.h"
#include "wire/inbox/operations.h"

namespace drover::cli {
namespace {

constexpr const char* kShown = "10";  // The newest; `drover inbox --all --run RUN` has the others.

std::string run_entries(Context& context, RunPage page, const std::string& run_id) {
  if (run_id.empty()) return "";
  Call call{.query = {{"run", run_id}, {"limit", kShown}}};
  if (page == RunPage::show) call.query.emplace_back("all", "true");
  const auto answer = context.client.ask(wire::inbox::list, call);
  if (!answer) return "";  // For example from a daemon without an inbox.
  const boost::json::array& entries = array_in(*answer, "entries");
  if (entries.empty()) return "";
  const std::string title =
      page == RunPage::show
          ? "inbox"
          : "it has asked people: `drover answer` answers, `drover inbox` shows all questions";
  return "\n" + context.screen.paint(Color::bold, title) + "\n" +
         inbox_page(entries, context.screen, SystemClock{}.wall_ms());
}

constexpr auto kSections = std::to_array<RunSection>({run_entries});

}  // namespace

std::span<const RunSection> inbox_sections() {
  return kSections;
}

}  // namespace drover::cli
