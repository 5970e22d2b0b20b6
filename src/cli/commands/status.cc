// drover status: shows the daemon and all its paths.
#include <fmt/core.h>

#include "base/clock.h"
#include "cli/commands/commands.h"
#include "cli/context.h"
#include "cli/fields.h"
#include "cli/views/sheet.h"
#include "cli/views/table.h"
#include "cli/views/words.h"
#include "wire/operations/daemon.h"

namespace drover::cli {
namespace {

using boost::json::object;

std::string page(const object& status, const Screen& screen) {
  const object& home = object_in(status, "home");
  const object& store = object_in(status, "store");
  Sheet sheet(screen, 2, 11);
  const auto line = [&](std::string_view title, const std::string& text) {
    sheet.line(title, text);
  };
  sheet.head("droverd " + text_in(status, "version"));
  if (const auto pid = number_in(status, "pid")) line("pid", std::to_string(*pid));
  if (const auto since = parse_rfc3339(text_in(status, "started_at"))) {
    line("up", say_duration(SystemClock{}.wall_ms() - *since) + ", since " + say_local(*since));
  }
  line("runs", fmt::format("{} running, {} queued", number_in(status, "runs_active").value_or(0),
                           number_in(status, "runs_queued").value_or(0)));
  for (const boost::json::value& value : array_in(status, "followers")) {
    if (!value.is_object()) continue;
    const object& follower = value.get_object();
    const std::string stopped_at = text_in(follower, "stopped_at");
    line("follower", stopped_at.empty()
                         ? fmt::format("{}, {} events behind", text_in(follower, "name"),
                                       number_in(follower, "lag").value_or(0))
                         : fmt::format("{} stopped at event {}: {}", text_in(follower, "name"),
                                       stopped_at, clean(text_in(follower, "reason"))));
  }
  const object& restored = object_in(status, "restored");
  if (const auto at = parse_rfc3339(text_in(restored, "at"))) {
    line("restored", fmt::format("an older database, on {}; {} runs were taken up from their files",
                                 say_local(*at), number_in(restored, "runs").value_or(0)));
  }
  line("socket", text_in(status, "socket"));
  line("url", text_in(status, "url"));
  line("no url", text_in(status, "url_trouble"));
  line("store", text_in(store, "kind") + " " + text_in(store, "path"));
  line("config", text_in(home, "config"));
  line("state", text_in(home, "state"));
  line("runtime", text_in(home, "runtime"));
  return sheet.take();
}

Result<int> status(Context& context, const Arguments&) {
  const Result<object> answer = context.client.ask(wire::daemon::status, {});
  if (!answer) return std::unexpected(answer.error());
  const std::string text = context.json ? json_text(*answer) + "\n" : page(*answer, context.screen);
  if (auto ok = context.screen.print(text); !ok) return std::unexpected(ok.error());
  return 0;
}

}  // namespace

const Command kStatus{
    .name = "status",
    .words = {},
    .group = Group::daemon,
    .summary = "Show the daemon's state and paths",
    .help =
        "Show the daemon's version, process, runs and the paths that it uses.\n\n"
        "The command starts the daemon if none is running.",
    .examples = {{{"drover status", "Show the daemon."},
                  {"drover status --no-start", "Fail with exit code 7 if no daemon is running."}}},
    .options = {},
    .run = status,
};

}  // namespace drover::cli
