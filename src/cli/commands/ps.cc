// drover ps: lists the runs, active ones first.
#include <algorithm>
#include <array>
#include <cstdlib>
#include <set>

#include "base/clock.h"
#include "base/limits.h"
#include "cli/commands/commands.h"
#include "cli/commands/listing.h"
#include "cli/context.h"
#include "cli/fields.h"
#include "cli/views/run_view.h"
#include "cli/views/runs_table.h"
#include "cli/watch.h"
#include "wire/operations/runs.h"

namespace drover::cli {
namespace {

using boost::json::object;

constexpr size_t kRecent = 10;  // Finished runs shown by default.

constexpr auto kOptions = std::to_array<Option>({
    {"all", 'a', Takes::nothing, "", "List all finished runs too"},
    {"state", 0, Takes::text, "STATE", "Show only runs in this state, such as failed", "state"},
    {"label", 'l', Takes::many, "K=V", "Show only runs with this label; may be repeated", "label"},
    {"lane", 0, Takes::text, "LANE", "Show only runs of this lane", "lane"},
    {"scope", 0, Takes::text, "SCOPE", "Show only runs of this scope and the scopes below it",
     "scope"},
    {"attempts", 0, Takes::nothing, "", "List every attempt of retried runs"},
    {"limit", 'n', Takes::text, "N", "Show at most N runs", "limit"},
    {"watch", 'w', Takes::nothing, "", "Keep the list up to date until Ctrl-C"},
});

struct Page {
  boost::json::array runs;
  boost::json::value next = nullptr;
};

// Newest first, reading as many pages as necessary.
Result<Page> list(Context& context, Pairs query, size_t limit) {
  Page out;
  std::string cursor;
  do {
    Call call{.query = query};
    const size_t left = std::min(limit - out.runs.size(), limits::kPageMax);
    call.query.emplace_back("limit", std::to_string(left));
    if (!cursor.empty()) call.query.emplace_back("cursor", cursor);
    Result<object> page = context.client.ask(wire::runs::list, call);
    if (!page) return std::unexpected(page.error());
    for (const boost::json::value& run : array_in(*page, "runs")) {
      if (run.is_object()) out.runs.push_back(run);
    }
    cursor = text_in(*page, "next_cursor");
  } while (!cursor.empty() && out.runs.size() < limit);
  if (!cursor.empty()) out.next = cursor;
  return out;
}

// Active runs first, then recently finished ones.
Result<Page> list_current(Context& context, const Pairs& query, size_t limit, size_t recent_max) {
  Pairs active = query;
  active.emplace_back("active", "true");
  Result<Page> out = list(context, active, limit);
  if (!out) return out;
  const size_t going = out->runs.size();
  const size_t room = std::min(recent_max, limit - going);
  if (room == 0) return out;
  // Some of the newest runs may be active: ask for enough to include the finished ones after them.
  Result<Page> recent = list(context, query, std::min(going + room, limits::kPageMax));
  if (!recent) return recent;
  std::set<std::string> listed;  // A run may finish between the two requests.
  for (const boost::json::value& run : out->runs) {
    listed.insert(text_in(run.get_object(), "run_id"));
  }
  for (boost::json::value& run : recent->runs) {
    const object& record = run.get_object();
    if (out->runs.size() < going + room && has_ended(record) &&
        !listed.contains(text_in(record, "run_id"))) {
      out->runs.push_back(std::move(run));
    }
  }
  out->next = recent->next;
  return out;
}

void put_active_first(boost::json::array& runs) {
  boost::json::array ended;
  boost::json::array going;
  for (boost::json::value& run : runs) {
    (has_ended(run.get_object()) ? ended : going).push_back(std::move(run));
  }
  runs = std::move(going);
  for (boost::json::value& run : ended) runs.push_back(std::move(run));
}

Result<Page> find(Context& context, const Arguments& arguments) {
  const bool everything = arguments.has("all");
  Result<Listing> listing = read_listing(arguments, everything ? kAnyNumber : limits::kPageDefault);
  if (!listing) return std::unexpected(listing.error());
  if (!arguments.has("attempts")) listing->query.emplace_back("latest", "true");
  const bool plain = everything || arguments.has("state");
  Result<Page> page = plain ? list(context, listing->query, listing->limit)
                            : list_current(context, listing->query, listing->limit, kRecent);
  if (page && everything) put_active_first(page->runs);
  return page;
}

Result<int> ps(Context& context, const Arguments& arguments) {
  if (arguments.has("watch")) {
    return watch(context, [&]() -> Result<std::string> {
      const Result<Page> page = find(context, arguments);
      if (!page) return std::unexpected(page.error());
      if (page->runs.empty()) return "no runs\n";
      return runs_table(page->runs, context.screen, SystemClock{}.wall_ms(),
                        context.screen.width());
    });
  }
  Result<Page> page = find(context, arguments);
  if (!page) return std::unexpected(page.error());
  if (context.json) {
    const object out{{"runs", page->runs}, {"next_cursor", page->next}};
    if (auto ok = context.screen.print(json_text(out) + "\n"); !ok) {
      return std::unexpected(ok.error());
    }
    return 0;
  }
  if (page->runs.empty()) {
    const bool filtered = std::ranges::any_of(std::array{"state", "label", "lane", "scope"},
                                              [&](auto name) { return arguments.has(name); });
    const bool inside = std::getenv("DROVER_RUN_ID") != nullptr;
    context.screen.notice(filtered ? "no run matches"
                          : inside
                              ? "no runs; inside a run, only the runs that it started are visible"
                              : "no runs; `drover run -- COMMAND` starts one");
    return 0;
  }
  const WallMs now = SystemClock{}.wall_ms();
  if (auto ok =
          context.screen.print(runs_table(page->runs, context.screen, now, context.screen.width()));
      !ok) {
    return std::unexpected(ok.error());
  }
  if (!page->next.is_null() && context.screen.output_is_terminal()) {
    context.screen.notice("there are more runs; `drover ps -a` lists all of them");
  }
  return 0;
}

}  // namespace

Result<boost::json::array> current_runs(Context& context, const Listing& listing,
                                        size_t finished_max) {
  Result<Page> page = list_current(context, listing.query, listing.limit, finished_max);
  if (!page) return std::unexpected(page.error());
  return std::move(page->runs);
}

const Command kPs{
    .name = "ps",
    .words = {},
    .group = Group::everyday,
    .summary = "List active and recent runs",
    .help = "List active runs first, then recently finished ones.",
    .examples = {{{"drover ps", "List active runs and the latest finished ones."},
                  {"drover ps -a --state failed", "List all runs that failed."},
                  {"drover ps -w -l team=core", "Watch the runs with a label."}}},
    .options = kOptions,
    .run = ps,
    .alias = "ls",
};

}  // namespace drover::cli
