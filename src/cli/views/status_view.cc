#include "cli/views/status_view.h"

#include <fmt/core.h>

#include "cli/fields.h"
#include "cli/views/columns.h"
#include "cli/views/sheet.h"
#include "cli/views/words.h"

namespace drover::cli {
namespace {

using boost::json::object;

// "2 running commands, 3 active triggers (next in 5h)".
std::string needed_line(const boost::json::array& reasons, WallMs now) {
  std::string out;
  for (const boost::json::value& value : reasons) {
    if (!value.is_object()) continue;
    const object& one = value.get_object();
    const auto count = number_in(one, "count").value_or(0);
    std::string what = clean(text_in(one, "what"));
    if (count == 1 && what.ends_with('s')) what.pop_back();
    out += (out.empty() ? "" : ", ") + std::to_string(count) + " " + what;
    if (const auto next = parse_rfc3339(text_in(one, "next_at"))) {
      out += " (next " + say_distance(*next, now) + ")";
    }
  }
  return out;
}

}  // namespace

std::string status_page(const object& status, const Screen& screen, WallMs now) {
  const object& home = object_in(status, "home");
  const object& store = object_in(status, "store");
  Sheet sheet(screen, 2, 14);
  const auto line = [&](std::string_view title, const std::string& text) {
    sheet.line(title, text);
  };
  sheet.head("droverd " + text_in(status, "version"));
  if (const auto pid = number_in(status, "pid")) line("pid", std::to_string(*pid));
  if (const auto since = parse_rfc3339(text_in(status, "started_at"))) {
    line("up", say_duration(now - *since) + ", since " + say_local(*since));
  }
  line("runs", fmt::format("{} running, {} queued", number_in(status, "runs_active").value_or(0),
                           number_in(status, "runs_queued").value_or(0)));
  line("needed for", needed_line(array_in(status, "keeps_running_for"), now));
  for (const boost::json::value& value : array_in(status, "followers")) {
    if (!value.is_object()) continue;
    const object& follower = value.get_object();
    const std::string stopped_at = text_in(follower, "stopped_at");
    line("follower",
         stopped_at.empty()
             ? fmt::format("{}, {} behind", text_in(follower, "name"),
                           say_count(number_in(follower, "lag").value_or(0), "event", "events"))
             : fmt::format("{} stopped at event {}: {}", text_in(follower, "name"), stopped_at,
                           clean(text_in(follower, "reason"))));
  }
  const object& restored = object_in(status, "restored");
  if (const auto at = parse_rfc3339(text_in(restored, "at"))) {
    line("restored", fmt::format("an older database, on {}; {}", say_local(*at),
                                 say_count(number_in(restored, "runs").value_or(0),
                                           "run was taken up from its file",
                                           "runs were taken up from their files")));
  }
  line("socket", text_in(status, "socket"));
  line("url", text_in(status, "url"));
  if (const std::string trouble = text_in(status, "url_trouble"); !trouble.empty()) {
    sheet.line("url", "not open: " + clean(trouble), Color::yellow);
  }
  line("store", text_in(store, "kind") + " " + text_in(store, "path"));
  line("config", text_in(home, "config"));
  line("state", text_in(home, "state"));
  line("runtime", text_in(home, "runtime"));
  if (const std::string state = text_in(home, "state"); !state.empty()) {
    line("log", state + "/droverd.log");
  }
  return sheet.take();
}

}  // namespace drover::cli
