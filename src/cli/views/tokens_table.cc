#include "cli/views/tokens_table.h"

#include "cli/fields.h"
#include "cli/views/table.h"
#include "cli/views/words.h"

namespace drover::cli {
namespace {

using boost::json::object;

std::string when(const object& token, std::string_view field, WallMs now) {
  const auto at = parse_rfc3339(text_in(token, field));
  return at ? say_distance(*at, now) : "-";
}

// "valid", "expired", "revoked 3d ago".
Cell state_of(const object& token, WallMs now) {
  const std::string state = text_in(token, "state");
  if (state == "valid") return {state, Color::green};
  if (state == "revoked") return {state + " " + when(token, "revoked_at", now), Color::dim};
  return {state, Color::dim};
}

}  // namespace

std::string tokens_table(const boost::json::array& tokens, bool all, const Screen& screen,
                         WallMs now) {
  Table table({"TOKEN", "KIND", "CAN", "SCOPE", "STATE", "EXPIRES", "LABEL"}, 6);
  table.may_cut(3, 10);
  table.may_leave_out(1);
  for (const boost::json::value& value : tokens) {
    if (!value.is_object()) continue;
    const object& token = value.get_object();
    const std::string state = text_in(token, "state");
    if (state != "valid" && !all) continue;
    const std::string scope = text_in(token, "scope");
    const std::string label = text_in(token, "label");
    table.add({{text_in(token, "token_id"), Color::bold},
               {text_in(token, "kind")},
               {text_in(token, "can")},
               {scope.empty() ? "all" : scope},
               state_of(token, now),
               {when(token, "expires_at", now)},
               {label.empty() ? "-" : clean(label)}});
  }
  return table.empty() ? "" : table.text(screen);
}

}  // namespace drover::cli
