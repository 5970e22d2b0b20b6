#include "cli/commands/triggers/print_stored.h"

#include "cli/commands/triggers/trigger_view.h"
#include "cli/fields.h"
#include "cli/views/words.h"

namespace drover::cli {

Result<int> print_stored(Context& context, const boost::json::object& trigger,
                         const std::string& more) {
  if (context.json) {
    if (auto ok = context.screen.print(json_text(trigger) + "\n"); !ok) {
      return std::unexpected(ok.error());
    }
    return 0;
  }
  const auto next = parse_rfc3339(text_in(trigger, "next_at"));
  const std::string text = "trigger " + text_in(trigger, "name") + ": " + when_of(trigger) +
                           (next ? "; next " + say_distance(*next, SystemClock{}.wall_ms()) + ", " +
                                       say_due(trigger, *next)
                                 : "");
  if (auto ok = context.screen.print(text + "\n" + more); !ok) return std::unexpected(ok.error());
  return 0;
}

}  // namespace drover::cli
