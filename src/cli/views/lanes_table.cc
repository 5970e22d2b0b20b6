#include "cli/views/lanes_table.h"

#include "cli/fields.h"
#include "cli/views/table.h"
#include "cli/views/words.h"

namespace drover::cli {
namespace {

using boost::json::object;

// "paused 5m", "draining 2h": an unusual state, and for how long; "paused", if that is now.
std::string condition(const object& lane, WallMs now) {
  std::string out;
  for (const auto& [key, word] :
       {std::pair("paused_at", "paused"), std::pair("draining_at", "draining")}) {
    const auto since = parse_rfc3339(text_in(lane, key));
    if (!since) continue;
    const std::string age = say_age(now - *since);
    out += (out.empty() ? "" : ", ") + std::string(word) + (age == "now" ? "" : " " + age);
  }
  return out;
}

}  // namespace

std::string lanes_table(const boost::json::array& lanes, const Screen& screen, WallMs now) {
  Table table({"LANE", "LIMIT", "RUNNING", "QUEUED", "STATE"}, 0);
  for (const boost::json::value& value : lanes) {
    if (!value.is_object()) continue;
    const object& lane = value.get_object();
    const auto number = [&](std::string_view key) {
      return std::to_string(number_in(lane, key).value_or(0));
    };
    const std::string unusual = condition(lane, now);
    table.add({{text_in(lane, "name"), Color::bold},
               {number("limit")},
               {number("active")},
               {number("queued")},
               unusual.empty() ? Cell{"open"} : Cell{unusual, Color::yellow}});
  }
  return table.text(screen);
}

}  // namespace drover::cli
