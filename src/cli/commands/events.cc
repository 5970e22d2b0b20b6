// drover events: prints the event log.
#include <array>
#include <boost/json/parse.hpp>
#include <functional>

#include "base/limits.h"
#include "cli/client/follow.h"
#include "cli/commands/commands.h"
#include "cli/commands/listing.h"
#include "cli/fields.h"
#include "cli/views/event_view.h"
#include "wire/operations/events.h"

namespace drover::cli {
namespace {

using boost::json::object;

constexpr auto kOptions = std::to_array<Option>({
    {"follow", 'f', Takes::nothing, "", "Keep printing new events until Ctrl-C"},
    {"after", 0, Takes::text, "CURSOR", "Show only events after this cursor"},
    {"scope", 0, Takes::text, "SCOPE", "Show only events of this scope and the scopes below it",
     "scope"},
    {"limit", 'n', Takes::text, "N", "Show only the last N events; with --after, the first N"},
});

struct EventOptions {
  Call call = {};  // With the scope and the first cursor.
  size_t limit = kAnyNumber;
  // The last `limit` events, as `tail -n`. With --after, the first ones instead, so that one can
  // continue page by page.
  bool last = false;
};

// Passes every page to `take`, until the end or the limit. Returns the last cursor.
Result<std::string> read_pages(Context& context, const EventOptions& options,
                               const std::function<Result<>(const boost::json::array&)>& take) {
  std::string next;
  const bool one =
      options.last && options.limit <= limits::kPageMax;  // The daemon can find the last page.
  const size_t limit = options.last && !one ? kAnyNumber : options.limit;
  for (size_t shown = 0; shown < limit;) {
    Call call = options.call;
    if (!next.empty()) {
      std::erase_if(call.query, [](const auto& pair) { return pair.first == "after"; });
      call.query.emplace_back("after", next);
    }
    call.query.emplace_back("limit", std::to_string(std::min(limit - shown, limits::kPageMax)));
    if (one) call.query.emplace_back("last", "true");
    const Result<object> page = context.client.ask(wire::events::list, call);
    if (!page) return std::unexpected(page.error());
    if (page->contains("lagged")) {
      context.screen.notice("events after that cursor are no longer stored; continuing after them");
    }
    const boost::json::array& events = array_in(*page, "events");
    if (const std::string cursor = text_in(*page, "next"); !cursor.empty()) next = cursor;
    if (events.empty()) break;
    if (auto ok = take(events); !ok) return std::unexpected(ok.error());
    shown += events.size();
    if (one || text_in(*page, "next").empty()) break;
  }
  return next;
}

// Appends events and keeps only the last `limit`.
void keep(boost::json::array& kept, const boost::json::array& events, size_t limit) {
  kept.insert(kept.end(), events.begin(), events.end());
  if (kept.size() <= limit) return;
  kept.erase(kept.begin(), kept.begin() + static_cast<std::ptrdiff_t>(kept.size() - limit));
}

std::string lines_of(const Context& context, const boost::json::array& events) {
  std::string text;
  for (const boost::json::value& event : events) {
    if (!event.is_object()) continue;
    text += context.json ? json_text(event) : event_line(event.get_object(), context.screen);
    text += "\n";
  }
  return text;
}

// Prints the current events, line by line. Returns the last cursor.
Result<std::string> print_lines(Context& context, const EventOptions& options) {
  boost::json::array kept;  // If more than a page is wanted: prints only after reading all pages.
  const auto take = [&](const boost::json::array& events) -> Result<> {
    if (!options.last) return context.screen.print(lines_of(context, events));
    keep(kept, events, options.limit);
    return {};
  };
  const Result<std::string> next = read_pages(context, options, take);
  if (!next) return next;
  if (auto ok = context.screen.print(lines_of(context, kept)); !ok) {
    return std::unexpected(ok.error());
  }
  return next;
}

Result<int> print_object(Context& context, const EventOptions& options) {
  boost::json::array all;
  const Result<std::string> next =
      read_pages(context, options, [&](const boost::json::array& events) -> Result<> {
        keep(all, events, options.limit);
        return {};
      });
  if (!next) return std::unexpected(next.error());
  object out{{"events", std::move(all)}, {"next", nullptr}};
  if (!next->empty()) out["next"] = *next;
  if (auto ok = context.screen.print(json_text(out) + "\n"); !ok) {
    return std::unexpected(ok.error());
  }
  return 0;
}

Result<int> follow_events(Context& context, EventOptions options) {
  if (options.last) {
    const Result<std::string> next = print_lines(context, options);
    if (!next) return std::unexpected(next.error());
    options.call.query.emplace_back("after", next->empty() ? "0" : *next);
    options.limit = kAnyNumber;
  }
  size_t shown = 0;
  const auto take = [&](const SseEvent& event) -> Result<bool> {
    boost::system::error_code bad;
    const boost::json::value value = boost::json::parse(event.data, bad);
    if (bad || !value.is_object()) return true;
    const std::string line =
        context.json ? escape_controls(event.data) : event_line(value.get_object(), context.screen);
    if (auto ok = context.screen.print(line + "\n"); !ok) return std::unexpected(ok.error());
    return ++shown < options.limit;
  };
  if (auto done = follow(context, wire::events::list, options.call, take); !done) {
    return std::unexpected(done.error());
  }
  return 0;
}

Result<int> events(Context& context, const Arguments& arguments) {
  const Result<std::optional<size_t>> limit = count_of(arguments, "limit");
  if (!limit) return std::unexpected(limit.error());
  EventOptions options{.limit = limit->value_or(kAnyNumber),
                       .last = *limit && !arguments.has("after")};
  for (const char* name : {"after", "scope"}) {
    if (const auto text = arguments.text(name)) options.call.query.emplace_back(name, *text);
  }
  if (arguments.has("follow")) return follow_events(context, std::move(options));
  if (context.json) return print_object(context, options);
  const Result<std::string> done = print_lines(context, options);
  if (!done) return std::unexpected(done.error());
  return 0;
}

}  // namespace

const Command kEvents{
    .name = "events",
    .words = {},
    .group = Group::automation,
    .summary = "Show the events of all runs",
    .help = "Show the events of all runs, oldest first.",
    .examples = {{{"drover events -n 20", "Show the last 20 events."},
                  {"drover events -f --json", "Print events as JSON as they happen."}}},
    .options = kOptions,
    .run = events,
};

}  // namespace drover::cli
