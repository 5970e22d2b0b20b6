#include "cli/views/event_view.h"

#include <algorithm>

#include "cli/fields.h"
#include "cli/views/progress_view.h"
#include "cli/views/run_view.h"
#include "cli/views/table.h"
#include "cli/views/words.h"

namespace drover::cli {
namespace {

using boost::json::object;

constexpr size_t kWide = 110;  // Enough for whole ids, dates and a detail.
constexpr size_t kTypeColumns = 20;

// A run by its id; any other subject by its full name.
std::string subject_of(const object& event, bool wide) {
  const std::string run = text_in(event, "run_id");
  if (run.empty()) return clean(text_in(event, "subject"));
  return wide ? run : run.substr(0, kShortId);
}

// The sender of a request that changed nothing, and the answer.
std::string request_detail(const object& data) {
  const object& by = object_in(data, "by");
  std::string caller = text_in(by, "kind");
  for (const char* more : {"name", "id"}) {
    if (text_in(by, more).empty()) continue;
    caller += " " + text_in(by, more);
    break;
  }
  return text_in(data, "outcome") + " · by " + caller;
}

std::string detail_of(const object& data) {
  if (!text_in(data, "outcome").empty() && !object_in(data, "by").empty()) {
    return request_detail(data);
  }
  if (text_in(data, "by") == "run") return say_progress(data);
  if (text_in(data, "by") == "output") return say_growth(data) + " of output";
  if (text_in(data, "state").empty()) return title_of(data);
  std::string out = ending_of(data) == "-" ? text_in(data, "reason") : ending_of(data);
  if (number_in(data, "exit_code")) out = "exit " + out;
  if (const std::string message = text_in(data, "message"); !message.empty()) {
    out += " · " + message;
  }
  return out;
}

}  // namespace

std::string event_line(const object& event, const Screen& screen) {
  const bool wide = screen.width() >= kWide;
  const object& data = object_in(event, "data");
  const auto at = parse_rfc3339(text_in(event, "time"));
  std::string time = at ? say_local(*at, true) : "-";
  if (!wide) time = time.substr(time.find(' ') + 1);
  std::string type = clean(text_in(event, "type"));
  type.resize(std::max(type.size(), kTypeColumns), ' ');
  size_t room = screen.width();
  std::string out;
  const auto add = [&](std::string_view text, Color color) {
    const std::string shown = cut(text, room);
    out += screen.paint(color, shown);
    room -= std::min(room, columns(shown) + 2);
    if (room > 0) out += "  ";
  };
  add(time, Color::dim);
  add(subject_of(event, wide), Color::none);
  add(type, text_in(data, "state").empty() ? Color::none : color_of(data));
  add(clean(detail_of(data)), Color::none);
  out.erase(out.find_last_not_of(' ') + 1);
  return out;
}

}  // namespace drover::cli
