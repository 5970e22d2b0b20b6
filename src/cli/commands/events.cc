// drover events: what happened, as the spine has it.
#include <fmt/core.h>

#include <array>
#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <charconv>

#include "base/limits.h"
#include "cli/commands/commands.h"
#include "cli/fields.h"
#include "cli/follow.h"
#include "cli/run_view.h"
#include "cli/table.h"
#include "cli/words.h"

namespace drover::cli {
namespace {

using boost::json::object;

constexpr auto kOptions = std::to_array<Option>({
    {"follow", 'f', Takes::nothing, "", "go on with what happens from now on"},
    {"after", 0, Takes::text, "CURSOR", "only what came after it"},
    {"scope", 0, Takes::text, "SCOPE", "only that scope and below it"},
    {"limit", 'n', Takes::text, "N", "at most this many"},
});

std::string line_of(const object& event, const Screen& screen) {
  const object& data = object_in(event, "data");
  const auto time = parse_rfc3339(text_in(event, "time"));
  std::string detail = title_of(data);
  if (!text_in(data, "state").empty()) {
    detail = ending_of(data) == "-" ? text_in(data, "reason") : ending_of(data);
    if (number_in(data, "exit_code")) detail = "exit " + detail;
    if (const std::string message = text_in(data, "message"); !message.empty()) {
      detail += " · " + message;
    }
  }
  const Color color = text_in(data, "state").empty() ? Color::none : color_of(data);
  return screen.paint(Color::dim, time ? say_local(*time, true) : "-") + "  " +
         text_in(event, "run_id") + "  " +
         screen.paint(color, fmt::format("{:<20}", text_in(event, "type"))) + "  " + clean(detail);
}

Result<int> list(Context& context, const Call& start, size_t limit) {
  boost::json::array all;
  Call call = start;
  std::string next;
  for (size_t shown = 0; shown < limit;) {
    call.query = start.query;
    if (!next.empty()) {
      std::erase_if(call.query, [](const auto& pair) { return pair.first == "after"; });
      call.query.emplace_back("after", next);
    }
    call.query.emplace_back("limit", std::to_string(std::min(limit - shown, limits::kPageMax)));
    Result<object> page = context.client.ask(wire::Op::events, call);
    if (!page) return std::unexpected(page.error());
    const boost::json::array& events = array_in(*page, "events");
    if (const std::string cursor = text_in(*page, "next"); !cursor.empty()) next = cursor;
    if (events.empty()) break;
    std::string text;
    for (const boost::json::value& event : events) {
      if (context.json) {
        all.push_back(event);
      } else if (event.is_object()) {
        text += line_of(event.get_object(), context.screen) + "\n";
      }
    }
    if (auto ok = context.screen.print(text); !ok) return std::unexpected(ok.error());
    shown += events.size();
    if (text_in(*page, "next").empty()) break;
  }
  if (!context.json) return 0;
  object out{{"events", std::move(all)}, {"next", nullptr}};
  if (!next.empty()) out["next"] = next;
  if (auto ok = context.screen.print(boost::json::serialize(out) + "\n"); !ok) {
    return std::unexpected(ok.error());
  }
  return 0;
}

Result<int> follow_events(Context& context, const Call& call, size_t limit) {
  size_t shown = 0;
  const auto take = [&](const SseEvent& event) -> Result<bool> {
    boost::system::error_code bad;
    const boost::json::value value = boost::json::parse(event.data, bad);
    if (bad || !value.is_object()) return true;
    const std::string line =
        context.json ? event.data : line_of(value.get_object(), context.screen);
    if (auto ok = context.screen.print(line + "\n"); !ok) return std::unexpected(ok.error());
    return ++shown < limit;
  };
  if (auto done = follow(context, wire::Op::events, call, take); !done) {
    return std::unexpected(done.error());
  }
  return 0;
}

Result<int> events(Context& context, const Arguments& arguments) {
  size_t limit = kAnyNumber;
  if (const auto text = arguments.text("limit")) {
    const auto [end, bad] = std::from_chars(text->data(), text->data() + text->size(), limit);
    if (bad != std::errc{} || end != text->data() + text->size() || limit == 0) {
      return fail_invalid("limit", "--limit is a number from 1 on, not " + *text);
    }
  }
  Call call;
  for (const char* name : {"after", "scope"}) {
    if (const auto text = arguments.text(name)) call.query.emplace_back(name, *text);
  }
  return arguments.has("follow") ? follow_events(context, call, limit) : list(context, call, limit);
}

}  // namespace

const Command kEvents{
    .name = "events",
    .words = {},
    .help = "Show what happened to all runs, oldest first.",
    .options = kOptions,
    .run = events,
};

}  // namespace drover::cli
